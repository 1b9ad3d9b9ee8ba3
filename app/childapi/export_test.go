package childapi

// EndpointPaths are the paths of all child endpoints, for the table of who may
// use which.
func EndpointPaths() []string {
	var paths []string
	for _, e := range endpoints {
		paths = append(paths, e.path)
	}
	return paths
}
