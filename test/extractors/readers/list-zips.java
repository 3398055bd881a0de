import java.io.*;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.*;
import java.util.zip.*;

/** Lists the zips of a folder with Java's readers: file, reader, name in hexadecimal or a failure, size, SHA-256. */
public class ListZips {
  interface Reader {
    List<String> read(File file) throws Exception;
  }

  static String member(String name, InputStream content) throws Exception {
    byte[] bytes = content.readAllBytes();
    HexFormat hex = HexFormat.of();
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
    return hex.formatHex(name.getBytes(StandardCharsets.UTF_8)) + "\t" + bytes.length + "\t" + hex.formatHex(digest);
  }

  static List<String> byDirectory(File file) throws Exception {
    List<String> found = new ArrayList<>();
    try (ZipFile zip = new ZipFile(file)) {
      for (ZipEntry entry : Collections.list(zip.entries()))
        found.add(member(entry.getName(), zip.getInputStream(entry)));
    }
    return found;
  }

  static List<String> byStream(File file) throws Exception {
    List<String> found = new ArrayList<>();
    try (ZipInputStream zip = new ZipInputStream(new FileInputStream(file))) {
      for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) found.add(member(entry.getName(), zip));
    }
    return found;
  }

  static void print(File file, String name, Reader reader) {
    String start = file.getName() + "\t" + name + "\t";
    try {
      List<String> found = reader.read(file);
      System.out.println(start + "read");
      for (String line : found) System.out.println(start + "member\t" + line);
    } catch (Exception failure) {
      System.out.println(start + "failure\t" + String.valueOf(failure).replaceAll("\\s", " "));
    }
  }

  public static void main(String[] args) {
    File[] files = new File(args[0]).listFiles();
    Arrays.sort(files);
    for (File file : files) {
      print(file, "Java ZipFile", ListZips::byDirectory);
      print(file, "Java ZipInputStream", ListZips::byStream);
    }
  }
}
