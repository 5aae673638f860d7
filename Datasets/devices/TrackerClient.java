import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets {@code facegauge track clips.h5 --tracker listen://host:port} on another machine measure a function of this one.
 *
 * Plain Java 8 without libraries, for Android and elsewhere.
 */
public final class TrackerClient {
  /** A face; what is null is unknown. All coordinates are pixels of the image. */
  public static final class Face {
    /** x, y, width, height. */
    public double[] box;
    /** x, y, z of each point of the scheme, or x, y of each. */
    public float[] points;
    public Double score;
    /** Coefficients by the names of ARKit. */
    public Map<String, Float> blendshapes;
    /** The pose of the head: 16 numbers by rows. */
    public float[] transform;
  }

  /** A frame to analyse. */
  public static final class Frame {
    /** The number of the frame in the dataset. */
    public long index;
    /** Whether a sequence begins: what was seen before is of no more use. */
    public boolean isFirst;
    /** Whether it belongs to a video. */
    public boolean isVideo;
    /** The time in the video. */
    public double milliseconds;
    public int width;
    public int height;
    /** The image file; null where pixels were asked for. */
    public byte[] file;
    /** Red, green, blue of each pixel, rows from the top; null where a file was asked for. */
    public byte[] rgb;
  }

  /** Finds the faces of a frame. */
  public interface Tracker {
    List<Face> detect(Frame frame) throws Exception;

    /** Called before each further connection: a place to load the model anew. */
    default void restart() throws Exception {}
  }

  /** Numbers of the device by name; what is unknown is left out. */
  public interface Readings {
    Map<String, Double> take();
  }

  /** Name and version. */
  public String name = "unnamed";
  /** "image" for image files as they are stored, "rgb" for pixels; the preferred one first. */
  public String[] inputs = {"image"};
  /** The scheme of the points, such as "mediapipe478"; null for boxes alone. */
  public String scheme;
  /** Facts of the device, such as its model, its system and the delegate. */
  public Map<String, String> device;
  /** Names of the numbers that {@code readings} gives, such as "thermal_status" and "battery". */
  public String[] readingNames = {};
  /**
   * Numbers of the device, asked once a second: {@code PowerManager.getCurrentThermalStatus()},
   * {@code BatteryManager.getIntProperty(BatteryManager.BATTERY_PROPERTY_CAPACITY)}.
   */
  public Readings readings;
  private Map<String, Double> taken;
  private long takenAt;

  /**
   * Connects to the address that {@code track} shows, {@code tcp://host:port/token}, and analyses frames until it has
   * no more. The time of {@code detect} is the time of the frame. Call it on a thread of its own. After each end it connects
   * again, until nobody is there: several trackers are compared over several connections.
   */
  public void run(String address, Tracker tracker) throws Exception {
    URI place = URI.create(address);
    if (!"tcp".equals(place.getScheme()) || place.getHost() == null || place.getPort() < 0) {
      throw new IllegalArgumentException("expected tcp://host:port/token, found " + address);
    }
    if (!serve(connection(place), place, tracker)) {
      throw new IOException(address + " was closed before its first request");
    }
    while (true) {
      Socket socket;
      try {
        socket = connection(place);
      } catch (IOException nobody) {
        return;
      }
      tracker.restart();
      if (!serve(socket, place, tracker)) return;
    }
  }

  private static Socket connection(URI place) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(place.getHost().replaceAll("[\\[\\]]", ""), place.getPort()), 10_000);
    return socket;
  }

  /** Whether there was a request. */
  private boolean serve(Socket connection, URI place, Tracker tracker) throws Exception {
    try (Socket socket = connection) {
      DataInputStream requests = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 18));
      OutputStream answers = socket.getOutputStream();
      String token = place.getPath() == null ? "" : place.getPath().replaceFirst("^/", "");
      boolean wasAsked = false;
      String line;
      try {
        if (!token.isEmpty()) send(answers, "{\"token\":" + text(token) + "}");
        send(answers, hello());
        line = line(requests);
      } catch (IOException closed) {
        return false;
      }
      for (; line != null; line = line(requests)) {
        wasAsked = true;
        long asked = System.nanoTime();
        String sync = value(line, "sync");
        if (sync != null) {
          send(answers, "{\"sync\":" + sync + ",\"received_ns\":" + clock(asked) + ",\"sent_ns\":" + clock(System.nanoTime()) + "}");
          continue;
        }
        Frame frame = new Frame();
        frame.index = Long.parseLong(value(line, "frame"));
        frame.isFirst = "true".equals(value(line, "reset"));
        frame.isVideo = "true".equals(value(line, "video"));
        frame.milliseconds = Long.parseLong(value(line, "timestamp_us")) / 1000.0;
        frame.width = Integer.parseInt(value(line, "width"));
        frame.height = Integer.parseInt(value(line, "height"));
        frame.file = bytes(requests, value(line, "image_bytes"));
        frame.rgb = bytes(requests, value(line, "rgb_bytes"));
        long received = System.nanoTime();
        List<Face> faces = tracker.detect(frame);
        long total = System.nanoTime() - received;
        StringBuilder answer = new StringBuilder("{\"frame\":").append(frame.index)
            .append(",\"stages_ns\":{\"total\":").append(total).append("},\"faces\":[");
        for (int at = 0; at < faces.size(); at++) answer.append(at == 0 ? "" : ",").append(face(faces.get(at)));
        long finished = System.nanoTime();
        answer.append("],\"received_ns\":").append(clock(received)).append(",\"finished_ns\":").append(clock(finished))
            .append(",\"readings\":{").append(readings(finished)).append("}}");
        send(answers, answer.toString());
      }
      return wasAsked;
    }
  }

  // Java's clock may be negative; what is added is the same in every answer.
  private static final long START = System.nanoTime();

  private static long clock(long time) {
    return time - START + 1_000_000_000L;
  }

  /** The last numbers of the device as members of an object. */
  private String readings(long now) {
    if (readings == null) return "";
    if (taken == null || now - takenAt > 1_000_000_000L) {
      taken = readings.take();
      takenAt = now;
    }
    StringBuilder line = new StringBuilder();
    for (Map.Entry<String, Double> one : taken.entrySet()) {
      if (one.getValue().isNaN() || one.getValue().isInfinite()) continue;
      line.append(line.length() == 0 ? "" : ",").append(text(one.getKey())).append(':').append(one.getValue());
    }
    return line.toString();
  }

  private static String list(String[] values) {
    StringBuilder line = new StringBuilder("[");
    for (int at = 0; at < values.length; at++) line.append(at == 0 ? "" : ",").append(text(values[at]));
    return line.append(']').toString();
  }

  private String hello() {
    StringBuilder line = new StringBuilder("{\"protocol\":\"facegauge.tracker\",\"version\":2,\"stages\":[\"total\"],\"restarts\":true,\"name\":")
        .append(text(name)).append(",\"inputs\":").append(list(inputs)).append(",\"readings\":").append(list(readingNames));
    if (scheme != null) line.append(",\"scheme\":").append(text(scheme));
    if (device != null) {
      line.append(",\"device\":{");
      String comma = "";
      for (Map.Entry<String, String> fact : device.entrySet()) {
        line.append(comma).append(text(fact.getKey())).append(':').append(text(fact.getValue()));
        comma = ",";
      }
      line.append('}');
    }
    return line.append('}').toString();
  }

  private static String face(Face face) {
    StringBuilder line = new StringBuilder("{");
    if (face.box != null) {
      line.append("\"box\":[");
      for (int at = 0; at < face.box.length; at++) line.append(at == 0 ? "" : ",").append(face.box[at]);
      line.append("],");
    }
    numbers(line, "points", face.points);
    numbers(line, "transform", face.transform);
    if (face.blendshapes != null) {
      line.append("\"blendshapes\":{");
      String comma = "";
      for (Map.Entry<String, Float> one : face.blendshapes.entrySet()) {
        line.append(comma).append(text(one.getKey())).append(':').append(one.getValue());
        comma = ",";
      }
      line.append("},");
    }
    if (face.score != null) line.append("\"score\":").append(face.score).append(',');
    if (line.length() > 1) line.setLength(line.length() - 1);
    return line.append('}').toString();
  }

  private static void numbers(StringBuilder line, String key, float[] values) {
    if (values == null) return;
    line.append('"').append(key).append("\":[");
    for (int at = 0; at < values.length; at++) {
      boolean isKnown = !Float.isNaN(values[at]) && !Float.isInfinite(values[at]);
      line.append(at == 0 ? "" : ",").append(isKnown ? Float.toString(values[at]) : "null");
    }
    line.append("],");
  }

  private static String text(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char one : value.toCharArray()) {
      if (one == '"' || one == '\\') quoted.append('\\').append(one);
      else if (one < ' ') quoted.append(String.format("\\u%04x", (int) one));
      else quoted.append(one);
    }
    return quoted.append('"').toString();
  }

  /** A value of a request, which is one object without others in it; null for a key that it lacks. */
  private static String value(String line, String key) {
    Matcher found = Pattern.compile("\"" + key + "\"\\s*:\\s*(true|false|-?[0-9]+)").matcher(line);
    return found.find() ? found.group(1) : null;
  }

  private static byte[] bytes(DataInputStream requests, String count) throws IOException {
    if (count == null) return null;
    byte[] bytes = new byte[Integer.parseInt(count)];
    requests.readFully(bytes);
    return bytes;
  }

  private static String line(DataInputStream requests) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int one = requests.read(); one >= 0; one = requests.read()) {
      if (one == '\n') return line.toString();
      line.append((char) one);
    }
    return null;
  }

  private static void send(OutputStream answers, String line) throws IOException {
    answers.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    answers.flush();
  }
}
