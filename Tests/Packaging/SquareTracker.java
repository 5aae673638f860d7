import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The tracker of square_tracker.js: the face is where the image is bright. */
public final class SquareTracker {
  public static void main(String[] words) throws Exception {
    TrackerClient client = new TrackerClient();
    client.name = "square 1";
    client.inputs = new String[] {"rgb"};
    client.device = Collections.singletonMap("model", "a \"Java\" machine");
    client.readingNames = new String[] {"battery"};
    client.readings = () -> Collections.singletonMap("battery", 0.5);
    client.run(words[0], SquareTracker::detect);
  }

  private static List<TrackerClient.Face> detect(TrackerClient.Frame frame) {
    int left = Integer.MAX_VALUE, top = Integer.MAX_VALUE, right = -1, bottom = -1;
    for (int y = 0; y < frame.height; y++) {
      for (int x = 0; x < frame.width; x++) {
        int at = 3 * (y * frame.width + x);
        int sum = (frame.rgb[at] & 255) + (frame.rgb[at + 1] & 255) + (frame.rgb[at + 2] & 255);
        if (sum <= 600) continue;
        left = Math.min(left, x);
        top = Math.min(top, y);
        right = Math.max(right, x);
        bottom = Math.max(bottom, y);
      }
    }
    List<TrackerClient.Face> faces = new ArrayList<>();
    if (right >= 0) {
      TrackerClient.Face face = new TrackerClient.Face();
      face.box = new double[] {left, top, right + 1 - left, bottom + 1 - top};
      face.score = (900 - frame.index) / 1000.0;
      faces.add(face);
    }
    return faces;
  }
}
