import com.google.mediapipe.framework.image.MPImage;
import com.google.mediapipe.tasks.components.containers.Category;
import com.google.mediapipe.tasks.components.containers.NormalizedLandmark;
import com.google.mediapipe.tasks.vision.facelandmarker.FaceLandmarkerResult;
import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes results of MediaPipe's Face Landmarker in an app as JSON that {@code facegauge import mediapipe} reads: one object
 * a line.
 *
 * Use it on one thread, for images or for the frames of one video, and close it.
 */
public final class LandmarkerRecorder implements Closeable {
  /** A call of the landmarker, {@code detect} or {@code detectForVideo}. */
  public interface Call {
    FaceLandmarkerResult detect(MPImage image);
  }

  private final Writer out;
  private final String videoName;
  private int count;

  private LandmarkerRecorder(File file, String videoName, String header) throws IOException {
    this.videoName = videoName;
    out = new OutputStreamWriter(new FileOutputStream(file), StandardCharsets.UTF_8);
    out.write("{\"schema\": \"facegauge.mediapipe\", \"version\": 1, " + header + "}\n");
  }

  /** Starts a file of the results of images, each of which is named. */
  public static LandmarkerRecorder ofImages(File file) throws IOException {
    return new LandmarkerRecorder(file, null, "\"kind\": \"still\", \"name\": \"images\"");
  }

  /** Starts a file of the results of a video, which has the name of its file. */
  public static LandmarkerRecorder ofVideo(File file, String name, double framesPerSecond) throws IOException {
    return new LandmarkerRecorder(
        file, name, "\"kind\": \"video\", \"name\": " + text(name) + ", \"fps\": " + framesPerSecond);
  }

  /**
   * Times a call of the landmarker and writes its result.
   *
   * An image has a name, the one that it has among the dataset's images; a frame of a video has a time. The other is null.
   */
  public FaceLandmarkerResult record(MPImage image, String name, Long milliseconds, Call call) throws IOException {
    long begin = System.nanoTime();
    FaceLandmarkerResult result = call.detect(image);
    long took = System.nanoTime() - begin;
    write(result, name, milliseconds, image.getWidth(), image.getHeight(), took);
    return result;
  }

  /** Writes a result, such as one of a live stream, with the size of the image; nanoseconds below 0 are unknown. */
  public void write(
      FaceLandmarkerResult result, String name, Long milliseconds, int width, int height, long nanoseconds)
      throws IOException {
    StringBuilder line = new StringBuilder("{\"name\": ");
    line.append(text(name != null ? name : (videoName != null ? videoName : "image") + "/" + count));
    line.append(", \"number\": ").append(count);
    if (milliseconds != null) line.append(", \"timestamp_ms\": ").append(milliseconds);
    line.append(", \"width\": ").append(width).append(", \"height\": ").append(height);
    if (nanoseconds >= 0) line.append(", \"latency_ns\": ").append(nanoseconds);
    line.append(", \"faces\": [");
    List<List<NormalizedLandmark>> faces = result.faceLandmarks();
    for (int face = 0; face < faces.size(); face++) {
      line.append(face == 0 ? "{\"landmarks\": [" : ", {\"landmarks\": [");
      String between = "";
      for (NormalizedLandmark point : faces.get(face)) {
        line.append(between).append('[').append(point.x()).append(", ").append(point.y()).append(", ");
        line.append(point.z()).append(']');
        between = ", ";
      }
      line.append(']');
      if (result.faceBlendshapes().isPresent()) {
        line.append(", \"blendshapes\": {");
        between = "";
        for (Category category : result.faceBlendshapes().get().get(face)) {
          line.append(between).append(text(category.categoryName())).append(": ").append(category.score());
          between = ", ";
        }
        line.append('}');
      }
      if (result.facialTransformationMatrixes().isPresent()) {
        // By columns there, by rows in the file.
        float[] matrix = result.facialTransformationMatrixes().get().get(face);
        line.append(", \"matrix\": [");
        for (int row = 0; row < 4; row++) {
          line.append(row == 0 ? "[" : ", [");
          for (int column = 0; column < 4; column++) {
            line.append(column == 0 ? "" : ", ").append(matrix[4 * column + row]);
          }
          line.append(']');
        }
        line.append(']');
      }
      line.append('}');
    }
    out.write(line.append("]}\n").toString());
    count++;
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private static String text(String value) {
    StringBuilder text = new StringBuilder("\"");
    for (char one : value.toCharArray()) {
      if (one == '"' || one == '\\') text.append('\\').append(one);
      else if (one < ' ') text.append(String.format("\\u%04x", (int) one));
      else text.append(one);
    }
    return text.append('"').toString();
  }
}
