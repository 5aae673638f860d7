/// The numbers of TensorFlow Lite's schema, `schema.fbs`.
///
/// Each group has the name of its table, union or enum. A table's numbers are those of its fields.
package enum TFLiteSchema {
  /// `file_identifier`.
  static let identifier = "TFL3"
  /// Where the identifier is in a file.
  static let identifierOffset = 4

  /// Whether bytes have the identifier of a model.
  static func isIdentified(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.dropFirst(identifierOffset).prefix(identifier.utf8.count)
      .elementsEqual(identifier.utf8)
  }

  /// The `Model.version` that is read.
  static let supportedVersion: UInt32 = 3

  /// BuiltinOperator, by its names: a number is the position in the list.
  package enum BuiltinOperator {
    /// The name of all operators outside the schema.
    static let custom = "CUSTOM"

    static func name(_ code: Int) -> String {
      names.indices.contains(code) ? names[code] : "operator \(code)"
    }

    /// The names in the order of their numbers.
    package static let names = """
      ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE \
      EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D \
      LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU \
      RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH \
      CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD \
      UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB \
      DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP \
      TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX \
      MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV \
      SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN \
      FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK \
      REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE \
      RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL \
      REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE \
      MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 \
      SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES \
      CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE \
      HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE \
      READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE \
      RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD \
      UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST \
      BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE \
      STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP \
      STABLEHLO_CONCATENATE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE \
      STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE \
      STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE \
      STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT \
      STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT \
      STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA \
      STABLEHLO_DOT_GENERAL STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE \
      STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW \
      STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT
      """.split(separator: " ").map(String.init)
  }

  enum Model {
    static let version = 0
    static let operatorCodes = 1
    static let subgraphs = 2
    static let buffers = 4
  }

  enum SubGraph {
    static let tensors = 0
    static let inputs = 1
    static let outputs = 2
    static let operators = 3
  }

  enum OperatorCode {
    static let deprecatedBuiltinCode = 0
    static let customCode = 1
    static let version = 2
    static let builtinCode = 3
  }

  enum Buffer {
    static let data = 0
    static let offset = 1
    /// The largest offset of a buffer whose data is a field of the table.
    static let largestOffsetInside: UInt64 = 1
  }

  enum Tensor {
    static let shape = 0
    static let type = 1
    static let buffer = 2
    static let name = 3
    static let quantization = 4
    static let isVariable = 5
    static let sparsity = 6
    static let shapeSignature = 7
    /// A size in the signature that the file leaves open.
    static let openSize = -1
  }

  enum QuantizationParameters {
    static let scale = 2
    static let zeroPoint = 3
    static let detailsType = 4
    static let quantizedDimension = 6
  }

  enum Operator {
    static let opcodeIndex = 0
    static let inputs = 1
    static let outputs = 2
    static let builtinOptionsType = 3
    static let builtinOptions = 4
    static let customOptions = 5
    /// The input that stands for an optional one that is left out.
    static let absentInput = -1
  }

  /// TensorType.
  enum TensorType: Int {
    case float32, float16, int32, uint8, int64, string, bool, int16, complex64, int8, float64
    case complex128, uint64, resource, variant, uint32, uint16, int4, bfloat16

    /// The schema's name.
    var name: String { "\(self)".uppercased() }
  }

  /// ActivationFunctionType; `identity` is its NONE.
  enum ActivationFunctionType: Int8 {
    case identity, relu, reluN1To1, relu6, tanh, signBit
  }

  /// Padding.
  enum Padding: Int8 {
    case same, valid
  }

  /// BuiltinOptions: the tables that the operators here read.
  enum BuiltinOptions: Int {
    case conv2D = 1
    case depthwiseConv2D = 2
    case pool2D = 5
    case fullyConnected = 8
    case softmax = 9
    case concatenation = 10
    case add = 11
    case resizeBilinear = 15
    case reshape = 17
    case mul = 21
    case reducer = 27
    case sub = 28
    case div = 29
    case squeeze = 30
    case stridedSlice = 32
    case pack = 59
    case resizeNearestNeighbor = 74
    case leakyRelu = 75
    case depthToSpace = 94
  }

  /// AddOptions, SubOptions, MulOptions and DivOptions, as far as they are alike.
  enum ArithmeticOptions {
    static let fusedActivationFunction = 0
  }

  /// Conv2DOptions, DepthwiseConv2DOptions and Pool2DOptions, as far as they are alike.
  enum WindowOptions {
    static let padding = 0
    static let strideWidth = 1
    static let strideHeight = 2
  }

  enum Conv2DOptions {
    static let fusedActivationFunction = 3
    static let dilationWidthFactor = 4
    static let dilationHeightFactor = 5
  }

  enum DepthwiseConv2DOptions {
    static let depthMultiplier = 3
    static let fusedActivationFunction = 4
    static let dilationWidthFactor = 5
    static let dilationHeightFactor = 6
  }

  enum Pool2DOptions {
    static let filterWidth = 3
    static let filterHeight = 4
    static let fusedActivationFunction = 5
  }

  enum FullyConnectedOptions {
    static let fusedActivationFunction = 0
    static let weightsFormat = 1
    static let keepDimensions = 2
  }

  enum SoftmaxOptions {
    static let beta = 0
  }

  enum LeakyReluOptions {
    static let alpha = 0
  }

  enum SqueezeOptions {
    static let dimensions = 0
  }

  enum PackOptions {
    static let axis = 1
  }

  enum ResizeNearestNeighborOptions {
    static let alignCorners = 0
    static let halfPixelCenters = 1
  }

  enum ConcatenationOptions {
    static let axis = 0
    static let fusedActivationFunction = 1
  }

  enum ResizeBilinearOptions {
    static let alignCorners = 2
    static let halfPixelCenters = 3
  }

  enum ReshapeOptions {
    static let newShape = 0
  }

  enum ReducerOptions {
    static let keepDimensions = 0
  }

  enum StridedSliceOptions {
    static let beginMask = 0
    static let endMask = 1
    static let ellipsisMask = 2
    static let newAxisMask = 3
    static let shrinkAxisMask = 4
    static let offset = 5
  }

  enum DepthToSpaceOptions {
    static let blockSize = 0
  }

  enum SparsityParameters {
    static let traversalOrder = 0
    static let blockMap = 1
    static let dimensionMetadata = 2
  }

  enum DimensionMetadata {
    static let format = 0
    static let denseSize = 1
    /// The type of a union, whose value is the next field.
    static let arraySegmentsType = 2
    static let arrayIndicesType = 4
  }

  /// DimensionType.
  enum DimensionType: Int8 {
    case dense, sparseCSR
  }

  /// SparseIndexVector.
  enum SparseIndexVector: UInt8 {
    case int32Vector = 1
    case uint16Vector = 2
    case uint8Vector = 3
  }

  /// Int32Vector, Uint16Vector and Uint8Vector.
  enum IndexVector {
    static let values = 0
  }
}
