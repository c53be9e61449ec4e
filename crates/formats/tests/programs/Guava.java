import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** Guava itself: `make` prints filters that it made, `read HEX ITEMS` asks a filter for "item 0" to "item ITEMS - 1". */
public class Guava {
  public static void main(String[] args) throws Exception {
    if (args[0].equals("make")) {
      make();
    } else {
      read(args[1], Integer.parseInt(args[2]));
    }
  }

  static void make() throws Exception {
    List<String> texts = List.of("", "a", "\u00e9t\u00e9", "\ud83d\ude00");
    print("none", BloomFilter.create(Funnels.byteArrayFunnel(), 10, 0.01), List.of());
    print("bytes", BloomFilter.create(Funnels.byteArrayFunnel(), 10, 0.01), items(10));
    List<Integer> ints = List.of(-2000006, -1000003, 0, 1000003, 2000006);
    print("ints", BloomFilter.create(Funnels.integerFunnel(), 5, 0.03), ints);
    List<Long> longs = List.of(-2000000014L, -1000000007L, 0L, 1000000007L, 2000000014L);
    print("longs", BloomFilter.create(Funnels.longFunnel(), 5, 0.001), longs);
    print("chars", BloomFilter.create(Funnels.unencodedCharsFunnel(), 4, 0.05), texts);
    print("utf8", BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), 4, 0.05), texts);
    // Guava makes no filters of the old strategy any more, but still reads them: this one is read empty.
    byte[] empty = new byte[6 + 16];
    empty[1] = 7;
    empty[5] = 2;
    print("mitz32", open(empty, Funnels.byteArrayFunnel()), items(10));
  }

  static void read(String hex, int count) throws Exception {
    byte[] bytes = HexFormat.of().parseHex(hex);
    BloomFilter<byte[]> filter = open(bytes, Funnels.byteArrayFunnel());
    int found = 0;
    for (byte[] item : items(count)) {
      found += filter.mightContain(item) ? 1 : 0;
    }
    ByteArrayOutputStream again = new ByteArrayOutputStream();
    filter.writeTo(again);
    System.out.println("found " + found);
    System.out.println("again " + HexFormat.of().formatHex(again.toByteArray()));
  }

  static <T> BloomFilter<T> open(byte[] bytes, Funnel<T> funnel) throws Exception {
    return BloomFilter.readFrom(new ByteArrayInputStream(bytes), funnel);
  }

  static List<byte[]> items(int count) {
    return java.util.stream.IntStream.range(0, count)
        .mapToObj(index -> ("item " + index).getBytes(StandardCharsets.UTF_8))
        .toList();
  }

  static <T> void print(String name, BloomFilter<? super T> filter, List<T> items) throws Exception {
    for (T item : items) {
      filter.put(item);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    System.out.println(name + " " + HexFormat.of().formatHex(out.toByteArray()));
  }
}
