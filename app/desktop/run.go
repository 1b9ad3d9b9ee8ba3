//go:build desktop

package desktop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"parley/app"
	"parley/app/api"
	"parley/app/paths"
)

// Exit codes of the window.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Run opens the window and returns the program's exit code once it is closed
// and everything that it started has ended.
func Run(ctx context.Context, args []string, look Look, stderr io.Writer) int {
	if len(args) > 0 {
		fmt.Fprintln(stderr, "parley-desktop takes no arguments. For the terminal there is `parley help`.")
		return exitUsage
	}
	// WebKit's JavaScript engine would take Go's fault signals over.
	os.Setenv("JSC_useWasmFaultSignalHandler", "0")
	os.Setenv("JSC_usePollingTraps", "1")
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		fmt.Fprintln(stderr, "parley-desktop: there is no display here. `parley serve` shows the same page in a browser.")
		return exitFailed
	}
	// From here on a signal is ours: Wails' own handling loses one that comes
	// before its loop runs, and then ignores all that follow.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	dirs, err := paths.Resolve(os.Getenv)
	if err != nil {
		return notStarted(err, signals, stderr)
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	back, err := openBackend(ctx, dirs, look.Page, log)
	if err != nil {
		log.Error("start", "err", err)
		return notStarted(err, signals, stderr)
	}
	w := &window{back: back, shell: &Shell{log: log}, log: log, over: make(chan struct{}), front: make(chan bool, 8)}
	go w.onSignals(signals)
	attached, detach := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { back.takeOver(attached) })
	err = wails.Run(w.options(look))
	close(w.over)
	detach()
	work.Wait()
	if w.shell.keeping.Load() {
		goOn(ctx, back, signals, stderr)
	}
	if err := errors.Join(err, back.Close()); err != nil {
		log.Error("close", "err", err)
		return exitFailed
	}
	return exitDone
}

// notStarted says why there is no window: whoever clicked on an icon sees no
// standard error.
func notStarted(err error, signals <-chan os.Signal, stderr io.Writer) int {
	t := textsFor("")
	fmt.Fprintf(stderr, t.failedStart+"\n", app.ErrorMessage(err))
	go func() {
		<-signals
		os.Exit(exitFailed)
	}()
	sayInDialog(t.failedTitle, app.Plain(app.ErrorMessage(err)))
	return exitFailed
}

// goOn keeps the back end up without a window until its agents are done or
// somebody ends it.
func goOn(ctx context.Context, back *backend, signals <-chan os.Signal, stderr io.Writer) {
	closeDisplay()
	fmt.Fprintln(stderr, "Parley goes on without its window until its agents are done. Open Parley again to come back; in a terminal: parley questions, parley serve.")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-signals:
			stop()
		case <-ctx.Done():
		}
	}()
	back.keep(ctx)
}

// window ties Wails' callbacks, the signals and the watcher together.
type window struct {
	back  *backend
	shell *Shell
	log   *slog.Logger
	over  chan struct{} // closed when Wails' loop has ended
	front chan bool     // the window got or lost the keyboard
}

func (w *window) options(look Look) *options.App {
	return &options.App{
		Title: "Parley", Width: 1280, Height: 800, MinWidth: 640, MinHeight: 480,
		BackgroundColour: &options.RGBA{R: 247, G: 248, B: 250, A: 255},
		AssetServer:      &assetserver.Options{Assets: look.Page, Handler: w.back.proxy, Middleware: pagePolicy},
		LogLevel:         logger.ERROR, LogLevelProduction: logger.ERROR,
		Bind:          []any{w.shell},
		OnStartup:     func(ctx context.Context) { w.shell.ctx.Store(&ctx) },
		OnDomReady:    func(context.Context) { w.adopt() },
		OnBeforeClose: w.keepOpen,
		// Explicit, since the zero value of a non-nil Linux means "always":
		// slower to start and 115 MiB more on machines without a GPU.
		Linux: &linux.Options{WebviewGpuPolicy: linux.WebviewGpuPolicyNever, ProgramName: "parley", Icon: look.Icon},
	}
}

// pagePolicy holds the page in the window to the same rules as in a browser.
func pagePolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.PageHeaders(w.Header())
		next.ServeHTTP(w, r)
	})
}

// adopt runs on the goroutine that reads the page's messages: it must not wait.
// A page that was loaded again comes through here once more.
func (w *window) adopt() {
	adoptWindow(hooks{
		pageEnded: func(reason string) {
			w.shell.ready.Store(false)
			w.log.Warn("the page's process "+reason+"; loading the page again", "back_end", "unaffected")
		},
		active: func(active bool) {
			select {
			case w.front <- active:
			case <-w.over:
			}
		},
		displayGone: func() {
			w.log.Warn("ending: the display is gone")
			if err := w.back.Close(); err != nil {
				w.log.Error("close", "err", err)
			}
		},
	})
	w.watchOnce()
}

// keepOpen answers the close button: with agents at work the person is asked
// once, in the page; a page that can't ask is replaced by the system's dialog.
func (w *window) keepOpen(ctx context.Context) bool {
	if w.shell.quitting.Load() {
		return false
	}
	ask, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	n := w.back.busy(ask)
	if n == 0 {
		w.shell.quitting.Store(true)
		return false
	}
	switch w.back.onQuit(ask) {
	case "stop":
		w.shell.quitting.Store(true)
		return false
	case "keep":
		w.shell.keeping.Store(true)
		w.shell.quitting.Store(true)
		return false
	}
	if w.shell.askQuit(n) {
		return true
	}
	t := textsFor("")
	answer, err := runtime.MessageDialog(ctx, runtime.MessageDialogOptions{
		Type: runtime.QuestionDialog, Title: t.quitTitle(n), Message: t.quitTitle(n) + "\n" + t.quitText(n),
		Buttons: []string{"Yes", "No"}, DefaultButton: "No",
	})
	return err == nil && answer != "Yes"
}

// onSignals ends the window on the first signal however early it comes, and the
// program on the second.
func (w *window) onSignals(signals <-chan os.Signal) {
	select {
	case <-w.over:
		return
	case s := <-signals:
		w.log.Info("ending", "signal", s.String())
		w.shell.keeping.Store(false)
	}
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		w.shell.quit()
		select {
		case <-w.over:
			return
		case <-signals:
			w.log.Warn("ending at once")
			if err := w.back.Close(); err != nil {
				w.log.Error("close", "err", err)
			}
			os.Exit(exitFailed)
		case <-again.C:
		}
	}
}
