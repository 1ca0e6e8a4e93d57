import java.io.FileInputStream;
import java.util.zip.ZipInputStream;

/** Goes through an archive from its start and prints the sizes of its files; fails where a CRC-32 is wrong. */
public class ReadZip {
  public static void main(String[] arguments) throws Exception {
    try (var archive = new ZipInputStream(new FileInputStream(arguments[0]))) {
      while (archive.getNextEntry() != null) {
        System.out.print(archive.readAllBytes().length + " ");
        archive.closeEntry();
      }
    }
  }
}
