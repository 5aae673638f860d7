/// The numbers of the HDF5 File Format Specification version 3.0; each group names its section.
///
/// A name that ends in `Mask` is a field of several bits, every other flag is one bit.
package enum HDF5Format {
  /// II.A, the format signature.
  package static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]
  /// II.A: the first position after 0 where the signature may lie; each further one is the double.
  package static let smallestUserBlock = 512

  /// Whether bytes begin with the part of the signature that names the format.
  package static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: signature.prefix(4))
  }

  /// The largest rank that libhdf5 writes.
  static let maxRank = 32

  /// II.A, the superblock.
  enum Superblock {
    static let newestVersion = 3
    /// Older versions have no node size of chunk indexes.
    static let firstVersionWithChunkNodes = 1
    /// Older versions have node sizes and a driver instead of an extension and a checksum.
    static let firstVersionWithExtension = 2
    /// Older versions do not use their consistency flags.
    static let firstVersionWithFlags = 3
    static let isOpenForWriting = 0x01
    /// Bytes of addresses and of lengths.
    static let widths = [2, 4, 8]
  }

  /// III.A.1, version 1 B-trees.
  enum BTree {
    static let signature = "TREE"
    static let groupNode = 0
    static let chunkNode = 1
  }

  /// III.A.2, version 2 B-trees.
  enum BTreeV2 {
    static let headerSignature = "BTHD"
    static let internalSignature = "BTIN"
    static let leafSignature = "BTLF"
    static let version = 0
    /// Signature, version, kind and checksum of a node.
    static let nodeOverhead = 10
    /// Nodes have at least two children, so deeper trees exceed any file.
    static let maxDepth = 48

    /// What the records are, of trees that are read.
    enum Kind: Int {
      case hugeObjects = 1
      case linkNames = 5
      case attributeNames = 8
      case chunks = 10
      case filteredChunks = 11
    }
  }

  /// III.B, group symbol table nodes.
  enum SymbolTableNode {
    static let signature = "SNOD"
    static let version = 1
  }

  /// III.C, cache types of a symbol table entry.
  enum CacheType: Int {
    case nothing = 0
    case group = 1
    case softLink = 2
  }

  /// III.D, local heaps.
  enum LocalHeap {
    static let signature = "HEAP"
    static let version = 0
  }

  /// III.E, the global heap.
  enum GlobalHeap {
    static let signature = "GCOL"
    static let version = 1
    /// The index of the object that is the free space.
    static let freeSpace = 0
  }

  /// III.G, fractal heaps.
  enum FractalHeap {
    static let headerSignature = "FRHP"
    static let directSignature = "FHDB"
    static let indirectSignature = "FHIB"
    static let version = 0
    static let hasChecksums = 0x02
    /// More than libhdf5 writes, which is 64 KiB.
    static let maxDirectBytes = 1 << 18
    /// The first byte of an identifier.
    static let identifierVersionMask = 0xC0
    static let kindMask = 0x30
    static let tinyLengthMask = 0x0F
    /// The longest tiny object whose length, less 1, fits into the first byte.
    static let maxShortTinyBytes = 16

    enum Kind: Int {
      case managed = 0x00
      case huge = 0x10
      case tiny = 0x20
    }
  }

  /// III.H and IV.A.2.p, the shared object header message table.
  enum SharedMessageTable {
    static let signature = "SMTB"
    static let version = 0
    static let counts = 1...8
  }

  /// IV.A.1, the object header prefix, and the flags of every message.
  enum ObjectHeader {
    static let version1 = 1
    static let version2 = 2
    static let signature = "OHDR"
    static let continuationSignature = "OCHK"
    /// The binary logarithm of the bytes of the first block's size.
    static let sizeWidthMask = 0x03
    static let tracksCreationOrder = 0x04
    static let hasAttributeThresholds = 0x10
    static let hasTimes = 0x20
    /// A flag of a message.
    static let isShared = 0x02
  }

  /// IV.A.2, types of header messages.
  enum Message {
    static let dataspace = 0x01
    static let linkInfo = 0x02
    static let datatype = 0x03
    static let oldFillValue = 0x04
    static let fillValue = 0x05
    static let link = 0x06
    static let externalFiles = 0x07
    static let layout = 0x08
    static let filters = 0x0B
    static let attribute = 0x0C
    static let sharedMessageTable = 0x0F
    static let continuation = 0x10
    static let symbolTable = 0x11
    static let attributeInfo = 0x15
    /// libhdf5's cache image, which the specification does not list.
    static let metadataCache = 0x18
  }

  /// IV.A.2, a message that is stored elsewhere.
  enum SharedMessage {
    static let versions = 1...3
    /// Older versions reserve bytes and have an address of a heap.
    static let firstPackedVersion = 2
    /// Older versions are always in another object's header.
    static let firstVersionWithPlace = 3
    static let inHeap = 1
    static let inOtherHeader = 2
    /// Bytes of an identifier in a heap.
    static let identifierBytes = 8
  }

  /// IV.A.2.b, the Dataspace message.
  enum Dataspace {
    static let versions = 1...2
    /// Older versions have reserved bytes instead of a kind.
    static let firstVersionWithKind = 2
    static let hasLimits = 0x01

    enum Kind: Int {
      case scalar = 0
      case simple = 1
      case null = 2
    }
  }

  /// IV.A.2.c, the Link Info message.
  enum LinkInfo {
    static let version = 0
    static let tracksCreationOrder = 0x01
    /// Bytes of an identifier in a heap, and of the checksum before it.
    static let identifierBytes = 7
    static let checksumBytes = 4
  }

  /// IV.A.2.d, the Datatype message.
  enum Datatype {
    static let versions = 1...5
    /// Older versions have dimensions in compound members instead.
    static let firstVersionWithArrays = 2
    /// Older versions pad names and reserve bytes.
    static let firstPackedVersion = 3
    /// The class in the first byte; the version is above it.
    static let classMask = 0x0F
    static let versionShift = 4
    /// The largest rank of a compound member.
    static let maxMemberRank = 4

    enum Class: Int {
      case fixedPoint = 0
      case floatingPoint = 1
      case time = 2
      case string = 3
      case bitField = 4
      case opaque = 5
      case compound = 6
      case reference = 7
      case enumeration = 8
      case variableLength = 9
      case array = 10
      /// Since version 5; of two numbers.
      case complex = 11
    }

    /// Class bit field of numbers.
    static let isBigEndian = 0x01
    static let isSigned = 0x08
    /// Class bit field of floating-point numbers.
    static let hasImpliedLeadingOne = 0x20
    static let signPositionShift = 8
    /// Class bit field of strings.
    static let paddingMask = 0x0F
    static let paddedWithSpaces = 2
    /// Class bit field of opaque values.
    static let tagBytesMask = 0xFF
    /// Class bit field of compounds and enumerations.
    static let memberCountMask = 0xFFFF
    /// Class bit field of references.
    static let referenceMask = 0x0F
    static let objectReference = 0
    /// Class bit field of values of variable length.
    static let variableLengthMask = 0x0F
    static let variableString = 1
  }

  /// IV.A.2.f, the Fill Value message.
  enum FillValue {
    static let versions = 1...3
    /// Older versions always have a value.
    static let firstVersionWithState = 2
    /// Older versions have a byte each instead of flags.
    static let firstVersionWithFlags = 3
    static let hasValue = 0x20
    /// The size, −1, of a value that is undefined, before `firstVersionWithFlags`.
    static let undefinedSize = 0xFFFF_FFFF
  }

  /// IV.A.2.g, the Link message.
  enum Link {
    static let version = 1
    /// The binary logarithm of the bytes of the name's length.
    static let nameWidthMask = 0x03
    static let hasCreationOrder = 0x04
    static let hasKind = 0x08
    static let hasCharacterSet = 0x10
    static let flags = 0..<0x20
    /// ASCII and UTF-8.
    static let characterSets = 0...1
    static let hard = 0
    static let soft = 1
    static let external = 64
    /// The kinds that users may define, an external link among them.
    static let userDefined = 64...255
  }

  /// IV.A.2.i, the Data Layout message.
  enum Layout {
    /// libhdf5 2.0 writes version 5, which differs from 4 only in the width of sizes in chunk indexes.
    static let versions = 1...5
    /// Older versions begin with a rank and reserved bytes.
    static let firstVersionWithSizes = 3
    /// Older versions have a version 1 B-tree of chunks.
    static let firstVersionWithIndexes = 4
    /// Chunks that reach beyond the extents are stored without filters.
    static let hasUnfilteredEdges = 0x01
    static let hasFilteredSingleChunk = 0x02

    enum Class: Int {
      case compact = 0
      case contiguous = 1
      case chunked = 2
      case virtual = 3
    }
  }

  /// Appendix C, types of indexes for dataset chunks.
  enum ChunkIndex: Int {
    case singleChunk = 1
    case implicit = 2
    case fixedArray = 3
    case extensibleArray = 4
    case version2Tree = 5

    /// Bytes of the parameters in the layout message, which the indexes of arrays and trees repeat.
    var parameterBytes: Int {
      switch self {
      case .singleChunk, .implicit: 0
      case .fixedArray: 1
      case .extensibleArray: 5
      case .version2Tree: 6
      }
    }
  }

  /// Appendix C, what the entries of an index that is an array are.
  enum ArrayClient: Int {
    case plainChunks = 0
    case filteredChunks = 1
  }

  /// Appendix C, the fixed array index.
  enum FixedArray {
    static let signature = "FAHD"
    static let blockSignature = "FADB"
    static let version = 0
  }

  /// Appendix C, the extensible array index.
  enum ExtensibleArray {
    static let signature = "EAHD"
    static let indexSignature = "EAIB"
    static let superSignature = "EASB"
    static let dataSignature = "EADB"
    static let version = 0
  }

  /// IV.A.2.l, the Filter Pipeline message.
  enum Pipeline {
    static let versions = 1...2
    /// Older versions have names, and pad them and the values.
    static let firstPackedVersion = 2
    /// Packed filters below have no name.
    static let firstNamedFilter = 256
    static let maxFilters = 32
  }

  /// IV.A.2.l, identifiers of the filters that are read.
  enum Filter: Int, Sendable {
    case deflate = 1
    case shuffle = 2
    case fletcher32 = 3
    /// h5py's own, registered with The HDF Group.
    case lzf = 32_000
  }

  /// IV.A.2.m, the Attribute message.
  enum Attribute {
    static let versions = 1...3
    /// Older versions pad their parts and have no flags.
    static let firstVersionWithFlags = 2
    static let firstVersionWithCharacterSet = 3
    static let hasSharedDatatype = 0x01
    static let hasSharedDataspace = 0x02
  }

  /// IV.A.2.v, the Attribute Info message.
  enum AttributeInfo {
    static let version = 0
    static let tracksCreationOrder = 0x01
    /// Bytes of an identifier in a heap.
    static let identifierBytes = 8
  }
}
