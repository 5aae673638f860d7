import CLibFuzzer
import Foundation

let words = CommandLine.arguments
guard FuzzTarget.chosen != nil else {
  print("usage: fuzz TARGET [libFuzzer's options] [corpus]\ntargets:")
  for target in FuzzTarget.all { print("  \(target.name)") }
  exit(words.count > 1 ? 64 : 0)
}

var arguments = ([words[0]] + words.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(arguments.count - 1)
let status = arguments.withUnsafeMutableBufferPointer { buffer in
  var list = buffer.baseAddress
  // Safety: libFuzzer calls with that many bytes, one call at a time, and reads the words until it returns.
  return LLVMFuzzerRunDriver(&count, &list) { data, size in
    FuzzTarget.chosen?.run([UInt8](UnsafeBufferPointer(start: data, count: size)))
    return 0
  }
}
exit(status)
