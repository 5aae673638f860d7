import android.content.Context;
import com.google.mediapipe.framework.image.MPImage;
import com.google.mediapipe.tasks.components.containers.Category;
import com.google.mediapipe.tasks.components.containers.NormalizedLandmark;
import com.google.mediapipe.tasks.core.Delegate;
import com.google.mediapipe.tasks.vision.facelandmarker.FaceLandmarkerResult;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Records results that are made by hand, then prints the same face as a tracker gives it. */
public final class RecordedFace {
  /** What the guides show; it needs a phone. */
  static void connect(Context context, String address) throws Exception {
    FaceLandmarkerTracker tracker = new FaceLandmarkerTracker(context, "face_landmarker.task", Delegate.GPU, 1);
    tracker.client().run(address, tracker);
  }

  public static void main(String[] words) throws Exception {
    MPImage picture = new MPImage(200, 100);
    List<NormalizedLandmark> points = new ArrayList<>();
    for (int i = 0; i < 478; i++) points.add(new NormalizedLandmark(i / 512f, 0.5f, -0.25f));
    // By columns: a translation of 1, 2, -40 without a turn.
    float[] matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, -40, 1};
    FaceLandmarkerResult found = new FaceLandmarkerResult(
        Collections.singletonList(points), Collections.singletonList(Collections.singletonList(new Category("jawOpen", 0.75f))),
        Collections.singletonList(matrix));
    FaceLandmarkerResult nothing = new FaceLandmarkerResult(
        Collections.emptyList(), Collections.emptyList(), Collections.emptyList());
    try (LandmarkerRecorder stills = LandmarkerRecorder.ofImages(new File(words[0], "stills.json"))) {
      stills.record(picture, "a.jpg", null, image -> found);
      stills.record(picture, "b.jpg", null, image -> nothing);
    }
    try (LandmarkerRecorder video = LandmarkerRecorder.ofVideo(new File(words[0], "video.json"), "a \"clip\".mp4", 25)) {
      for (long frame = 0; frame < 3; frame++) video.record(picture, null, 40 * frame, image -> found);
    }
    TrackerClient.Face face = FaceLandmarkerTracker.faces(found, 200, 100).get(0);
    StringBuilder line = new StringBuilder("[{\"points\": [");
    for (int i = 0; i < face.points.length; i++) line.append(i == 0 ? "" : ", ").append(face.points[i]);
    line.append("], \"blendshapes\": {\"jawOpen\": ").append(face.blendshapes.get("jawOpen")).append("}, \"transform\": [");
    for (int i = 0; i < 16; i++) line.append(i == 0 ? "" : ", ").append(face.transform[i]);
    System.out.println(line.append("]}]"));
  }
}
