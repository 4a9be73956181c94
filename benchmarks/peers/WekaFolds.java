import java.io.BufferedReader;
import java.io.FileReader;
import java.nio.file.Files;
import java.nio.file.Path;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.Utils;

/** Trains WEKA classifiers on train-0.arff, ... and counts their errors on test-0.arff, ... */
public class WekaFolds {
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        for (int fold = 0; Files.exists(folder.resolve("train-" + fold + ".arff")); fold++) {
            Instances train = read(folder.resolve("train-" + fold + ".arff"));
            Instances test = read(folder.resolve("test-" + fold + ".arff"));
            for (int scheme = 1; scheme < args.length; scheme++) {
                String[] options = Utils.splitOptions(args[scheme].replace("SEED", "" + (fold + 1)));
                String name = options[0];
                options[0] = "";
                Classifier classifier = Classifier.forName(name, options);
                classifier.buildClassifier(train);
                int errors = 0;
                for (int row = 0; row < test.numInstances(); row++) {
                    double said = classifier.classifyInstance(test.instance(row));
                    if (said != test.instance(row).classValue()) {
                        errors++;
                    }
                }
                System.out.println((scheme - 1) + " " + fold + " " + errors);
            }
        }
    }

    private static Instances read(Path path) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(path.toFile())));
        data.setClassIndex(data.numAttributes() - 1);
        return data;
    }
}
