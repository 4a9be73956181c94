"""Growing trees: learners, the workspace they grow in, and cases drawn for many of them."""
