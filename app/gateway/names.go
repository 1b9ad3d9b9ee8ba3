package gateway

import (
	"net"
	"strconv"
	"strings"
)

// names are the names under which a serving may be called, all lower case.
type names struct {
	hosts   map[string]bool // values of Host
	origins map[string]bool // of our own pages
	further map[string]bool // those of hosts that --allow-host added
}

// namesOf lists the names: those of the loopback where the listener is to be
// reached there, and what was allowed beside. A further name may stand behind a
// proxy that speaks TLS, so that its pages are https.
func namesOf(at *net.TCPAddr, allowed []string) names {
	n := names{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, name := range loopbackNames(at.IP) {
		n.add(net.JoinHostPort(name, portOf(at)), "http")
		if at.Port == 80 { // browsers leave it out
			n.add(bracketed(name), "http")
		}
	}
	for _, name := range allowed {
		name = strings.ToLower(name)
		full := withPort(name, at)
		for _, host := range []string{name, full} {
			n.add(host, "http", "https")
			n.further[host] = true
		}
	}
	return n
}

func (n names) add(host string, schemes ...string) {
	n.hosts[host] = true
	for _, scheme := range schemes {
		n.origins[scheme+"://"+host] = true
	}
}

func loopbackNames(ip net.IP) []string {
	switch {
	case ip.IsUnspecified():
		return []string{"127.0.0.1", "localhost", "::1"}
	case ip.IsLoopback():
		return []string{ip.String(), "localhost"}
	default:
		return nil
	}
}

// shownHost is the name that goes into a link.
func shownHost(at *net.TCPAddr, allowed []string) string {
	if len(allowed) > 0 {
		return withPort(allowed[0], at)
	}
	return net.JoinHostPort(at.IP.String(), portOf(at))
}

// withPort adds the port to a name that has none.
func withPort(name string, at *net.TCPAddr) string {
	if _, _, err := net.SplitHostPort(name); err == nil {
		return name
	}
	return name + ":" + portOf(at)
}

func bracketed(name string) string {
	if strings.Contains(name, ":") {
		return "[" + name + "]"
	}
	return name
}

func portOf(a *net.TCPAddr) string { return strconv.Itoa(a.Port) }
