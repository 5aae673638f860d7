import android.content.Context;
import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.os.Build;
import com.google.mediapipe.framework.image.BitmapImageBuilder;
import com.google.mediapipe.framework.image.MPImage;
import com.google.mediapipe.tasks.components.containers.Category;
import com.google.mediapipe.tasks.components.containers.NormalizedLandmark;
import com.google.mediapipe.tasks.core.BaseOptions;
import com.google.mediapipe.tasks.core.Delegate;
import com.google.mediapipe.tasks.vision.core.RunningMode;
import com.google.mediapipe.tasks.vision.facelandmarker.FaceLandmarker;
import com.google.mediapipe.tasks.vision.facelandmarker.FaceLandmarkerResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * MediaPipe's Face Landmarker in an app as a tracker of {@code facegauge track}, with {@code TrackerClient.java}.
 *
 * <pre>
 * FaceLandmarkerTracker tracker = new FaceLandmarkerTracker(context, "face_landmarker.task", Delegate.GPU, 1);
 * tracker.client().run(address, tracker);
 * </pre>
 */
public final class FaceLandmarkerTracker implements TrackerClient.Tracker {
  private final Context context;
  private final String model;
  private final Delegate delegate;
  private final int numFaces;
  private FaceLandmarker landmarker;
  private RunningMode mode;

  /** {@code model} is the path of a {@code face_landmarker.task} among the assets. */
  public FaceLandmarkerTracker(Context context, String model, Delegate delegate, int numFaces) {
    this.context = context;
    this.model = model;
    this.delegate = delegate;
    this.numFaces = numFaces;
  }

  /** A client that says what this tracker is. */
  public TrackerClient client() {
    TrackerClient client = new TrackerClient();
    client.name = "MediaPipe Face Landmarker";
    client.scheme = "mediapipe478";
    client.device = new HashMap<>();
    client.device.put("delegate", delegate == Delegate.GPU ? "gpu" : "cpu");
    client.device.put("model", Build.MANUFACTURER + " " + Build.MODEL);
    client.device.put("system", "Android " + Build.VERSION.RELEASE);
    return client;
  }

  /** Loads the model anew, as for a new connection. */
  @Override
  public void restart() {
    if (landmarker != null) landmarker.close();
    landmarker = null;
  }

  /** The faces of a frame; loading the model is part of the time of the first frame of all images and of each video. */
  @Override
  public List<TrackerClient.Face> detect(TrackerClient.Frame frame) throws IOException {
    Bitmap bitmap = frame.file == null ? null : BitmapFactory.decodeByteArray(frame.file, 0, frame.file.length);
    if (bitmap == null) throw new IOException("frame " + frame.index + " is no image that Android reads");
    RunningMode wanted = frame.isVideo ? RunningMode.VIDEO : RunningMode.IMAGE;
    if (landmarker == null || mode != wanted || frame.isVideo && frame.isFirst) {
      restart();
      mode = wanted;
      landmarker =
          FaceLandmarker.createFromOptions(
              context,
              FaceLandmarker.FaceLandmarkerOptions.builder()
                  .setBaseOptions(BaseOptions.builder().setModelAssetPath(model).setDelegate(delegate).build())
                  .setRunningMode(mode)
                  .setNumFaces(numFaces)
                  .setOutputFaceBlendshapes(true)
                  .setOutputFacialTransformationMatrixes(true)
                  .build());
    }
    MPImage image = new BitmapImageBuilder(bitmap).build();
    return faces(
        frame.isVideo ? landmarker.detectForVideo(image, Math.round(frame.milliseconds)) : landmarker.detect(image),
        frame.width, frame.height);
  }

  /** The faces of a result in pixels; the depth of a point has the scale of x. */
  public static List<TrackerClient.Face> faces(FaceLandmarkerResult result, int width, int height) {
    List<TrackerClient.Face> faces = new ArrayList<>();
    for (int index = 0; index < result.faceLandmarks().size(); index++) {
      TrackerClient.Face face = new TrackerClient.Face();
      List<NormalizedLandmark> points = result.faceLandmarks().get(index);
      face.points = new float[3 * points.size()];
      for (int point = 0; point < points.size(); point++) {
        face.points[3 * point] = points.get(point).x() * width;
        face.points[3 * point + 1] = points.get(point).y() * height;
        face.points[3 * point + 2] = points.get(point).z() * width;
      }
      if (result.faceBlendshapes().isPresent()) {
        face.blendshapes = new HashMap<>();
        for (Category category : result.faceBlendshapes().get().get(index)) {
          face.blendshapes.put(category.categoryName(), category.score());
        }
      }
      if (result.facialTransformationMatrixes().isPresent()) {
        // By columns there, by rows here.
        float[] matrix = result.facialTransformationMatrixes().get().get(index);
        face.transform = new float[16];
        for (int at = 0; at < 16; at++) face.transform[at] = matrix[4 * (at % 4) + at / 4];
      }
      faces.add(face);
    }
    return faces;
  }
}
