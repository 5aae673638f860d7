/// An error that says what is wrong with an input, in one line.
package protocol DataError: Error, CustomStringConvertible {}
