"""Results for people: tables read in, summaries as plain data, pages.

=============== ==================================================================
``predictions`` a table of predictions in a file, read into ``MemberOutputs``
``tables``      the same files as frames of text
``summary``     results as dicts that JSON can hold: what terminal and page show
``figures``     the pictures of a page or a plot file
``render``      a page of HTML, complete in one file
``files``       files written whole or not at all
=============== ==================================================================
"""
