// MediaPipe's Face Landmarker of Tasks Vision. The folder of --files has vision_bundle.mjs and the folder wasm of the
// package @mediapipe/tasks-vision, and face_landmarker.task.
//
// Options: delegate (CPU or GPU, default CPU), num-faces (default 1), mode (video or image, default video), model
// (default face_landmarker.task).

let vision, fileset, settings, landmarker, last = 0;

function make(mode) {
  return vision.FaceLandmarker.createFromOptions(fileset, {
    baseOptions: { modelAssetPath: `files/${settings.model}`, delegate: settings.delegate },
    runningMode: mode, numFaces: Number(settings["num-faces"]), outputFaceBlendshapes: true,
    outputFacialTransformationMatrixes: true,
  });
}

export async function init(options) {
  settings = { delegate: "CPU", "num-faces": "1", mode: "video", model: "face_landmarker.task", ...options };
  vision = await import(new URL("files/vision_bundle.mjs", document.baseURI).href);
  fileset = await vision.FilesetResolver.forVisionTasks(new URL("files/wasm", document.baseURI).href);
  landmarker = { IMAGE: await make("IMAGE") };
  // The first images take longer than all others; one without a face leaves no track.
  for (let count = 0; count < 5; count += 1) landmarker.IMAGE.detect(new ImageData(640, 480));
  return {
    name: "mediapipe tasks-vision", scheme: "mediapipe478", settings, device: { backend: `MediaPipe, ${settings.delegate}` },
  };
}

export async function detect(image, { reset, video, milliseconds, width, height }) {
  let result;
  if (!video || settings.mode === "image") {
    result = landmarker.IMAGE.detect(image);
  } else {
    if (reset || !landmarker.VIDEO) {
      landmarker.VIDEO?.close();
      landmarker.VIDEO = await make("VIDEO");
      last = 0;
    }
    last = Math.max(last + 1, Math.round(milliseconds));
    result = landmarker.VIDEO.detectForVideo(image, last);
  }
  return result.faceLandmarks.map((points, face) => {
    const matrix = result.facialTransformationMatrixes[face]?.data;
    return {
      points: points.flatMap(({ x, y, z }) => [x * width, y * height, z * width]),
      blendshapes: Object.fromEntries(
        (result.faceBlendshapes[face]?.categories ?? []).map(({ categoryName, score }) => [categoryName, score])),
      // Columns come first there, rows here.
      ...(matrix ? { transform: Array.from({ length: 16 }, (_, at) => matrix[(at % 4) * 4 + Math.floor(at / 4)]) } : {}),
    };
  });
}
