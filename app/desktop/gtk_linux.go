//go:build desktop && linux

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1 x11
#include <gtk/gtk.h>
#include <gdk/gdkx.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <webkit2/webkit2.h>

extern void parleyPageEnded(int reason);
extern void parleyActive(int active);
extern void parleyDisplayGone(void);

static GtkWindow *parley_window;

// The window that holds a web view; Wails keeps its own pointers to itself.
static WebKitWebView *parley_find(GtkWidget *w) {
	if (WEBKIT_IS_WEB_VIEW(w)) return WEBKIT_WEB_VIEW(w);
	if (!GTK_IS_CONTAINER(w)) return NULL;
	WebKitWebView *found = NULL;
	GList *kids = gtk_container_get_children(GTK_CONTAINER(w));
	for (GList *k = kids; k && !found; k = k->next) found = parley_find(GTK_WIDGET(k->data));
	g_list_free(kids);
	return found;
}

// A page whose process died leaves its last picture standing and hears nothing
// any more; loading its address again starts a new process, in the same place.
static void parley_on_terminated(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer _) {
	parleyPageEnded((int)reason);
	const gchar *at = webkit_web_view_get_uri(view);
	webkit_web_view_load_uri(view, at && *at ? at : "wails://wails/");
}

static void parley_on_active(GObject *w, GParamSpec *_, gpointer __) {
	gboolean active = gtk_window_is_active(GTK_WINDOW(w));
	if (active) gtk_window_set_urgency_hint(GTK_WINDOW(w), FALSE);
	parleyActive(active);
}

// WebKit's JavaScript engine replaces Go's handlers for faults without the
// alternate stack that Go needs; put the flag back, else a nil dereference that
// recover() would catch ends the program.
static void parley_signal_stacks(void) {
	int sigs[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGUSR1, SIGABRT};
	for (unsigned i = 0; i < sizeof sigs / sizeof *sigs; i++) {
		struct sigaction a;
		if (sigaction(sigs[i], NULL, &a) == 0 && !(a.sa_flags & SA_ONSTACK) &&
		    a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN) {
			a.sa_flags |= SA_ONSTACK;
			sigaction(sigs[i], &a, NULL);
		}
	}
}

// The X server went away: at the end of a desktop's session it may do so before
// any signal comes. GDK would end the program at once. Xlib allows no return.
static int parley_on_io_error(Display *_) {
	parleyDisplayGone();
	_exit(1);
}

static gboolean parley_adopt(gpointer _) {
	if (parley_window) return G_SOURCE_REMOVE;
	GList *tops = gtk_window_list_toplevels();
	for (GList *t = tops; t; t = t->next) {
		WebKitWebView *view = parley_find(GTK_WIDGET(t->data));
		if (!view) continue;
		parley_window = GTK_WINDOW(t->data);
		g_signal_connect(view, "web-process-terminated", G_CALLBACK(parley_on_terminated), NULL);
		g_signal_connect(parley_window, "notify::is-active", G_CALLBACK(parley_on_active), NULL);
		parley_on_active(G_OBJECT(parley_window), NULL, NULL);
		if (GDK_IS_X11_DISPLAY(gdk_display_get_default())) XSetIOErrorHandler(parley_on_io_error);
		break;
	}
	g_list_free(tops);
	parley_signal_stacks();
	return G_SOURCE_REMOVE;
}

// Comes up and asks for attention without taking the keyboard from whatever the
// person is typing into.
static gboolean parley_raise(gpointer _) {
	if (!parley_window || gtk_window_is_active(parley_window)) return G_SOURCE_REMOVE;
	GdkWindow *g = gtk_widget_get_window(GTK_WIDGET(parley_window));
	if (!g) return G_SOURCE_REMOVE;
	if (gdk_window_get_state(g) & GDK_WINDOW_STATE_ICONIFIED) {
		gtk_window_set_focus_on_map(parley_window, FALSE);
		gtk_window_deiconify(parley_window);
	}
	gdk_window_raise(g);
	gtk_window_set_urgency_hint(parley_window, TRUE);
	return G_SOURCE_REMOVE;
}

// Takes the windows down and lets go of the display, so that neither its end nor
// a desktop's session ends a program that shows nothing any more.
static void parley_close_display(void) {
	GList *tops = gtk_window_list_toplevels();
	for (GList *t = tops; t; t = t->next) gtk_widget_destroy(GTK_WIDGET(t->data));
	g_list_free(tops);
	parley_window = NULL;
	for (int i = 0; i < 100 && g_main_context_iteration(NULL, FALSE); i++) {}
	GdkDisplay *d = gdk_display_get_default();
	if (d) gdk_display_close(d);
}

// A dialog by itself, for when there is nothing to open a window on.
static void parley_say(const char *title, const char *text) {
	if (!gtk_init_check(NULL, NULL)) return;
	GtkWidget *d = gtk_message_dialog_new(NULL, 0, GTK_MESSAGE_ERROR, GTK_BUTTONS_CLOSE, "%s", title);
	gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(d), "%s", text);
	gtk_window_set_title(GTK_WINDOW(d), "Parley");
	gtk_dialog_run(GTK_DIALOG(d));
	gtk_widget_destroy(d);
}

static void parley_do(int what) {
	g_idle_add(what == 0 ? parley_adopt : parley_raise, NULL);
}
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// gtkHooks hears what GTK reports; set before the window is adopted.
var gtkHooks atomic.Pointer[hooks]

type hooks struct {
	pageEnded   func(reason string)
	active      func(bool)
	displayGone func() // the program ends when it returns
}

// adoptWindow connects to the signals of Wails' window that Wails itself does
// not listen to. Call it once the page is up; it returns at once.
func adoptWindow(h hooks) {
	gtkHooks.Store(&h)
	C.parley_do(0)
}

// raiseQuietly brings the window up and marks it as wanting attention; the
// keyboard stays where it is.
func raiseQuietly() { C.parley_do(1) }

// closeDisplay takes the window down for good. Call it on the main thread, once
// Wails' loop has ended.
func closeDisplay() { C.parley_close_display() }

// sayInDialog shows a text until the person closes it. Call it on the main
// thread, before Wails' loop.
func sayInDialog(title, text string) {
	t, x := C.CString(title), C.CString(text)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(x))
	C.parley_say(t, x)
}

//export parleyPageEnded
func parleyPageEnded(reason C.int) {
	if h := gtkHooks.Load(); h != nil {
		word := map[int]string{0: "crashed", 1: "exceeded its memory limit", 2: "was ended on request"}[int(reason)]
		go h.pageEnded(word)
	}
}

//export parleyActive
func parleyActive(active C.int) {
	if h := gtkHooks.Load(); h != nil {
		h.active(active != 0)
	}
}

//export parleyDisplayGone
func parleyDisplayGone() {
	if h := gtkHooks.Load(); h != nil {
		h.displayGone()
	}
}
