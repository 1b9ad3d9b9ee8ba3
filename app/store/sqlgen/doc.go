// Package sqlgen is the queries of app/store/queries as Go functions. All of it
// but this comment is written by sqlc (make generate); the store alone uses it,
// on connections and transactions of its own.
package sqlgen
