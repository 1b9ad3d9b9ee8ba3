package api

//go:generate go run ./tsgen .. ../../frontend/src/backend/types.gen.ts
