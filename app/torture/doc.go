// Package torture holds attacks on the real programs: `parley serve` is killed
// with -9 at random moments, stopped for minutes, asked ten thousand questions,
// given locked, full, damaged and foreign records. It has tests only; what it
// promises stands in docs/data.md.
//
// Every process of an attack bears a mark of its own in its environment, so that
// what is left of it is found and nothing foreign is taken for it.
package torture
