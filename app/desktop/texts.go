package desktop

import (
	"fmt"
	"os"
	"strings"

	"parley/app"
)

// texts are the few words that the window says outside its page: the title, the
// notice, the dialog of a page that no longer answers.
type texts struct {
	asks     func(app.Kind) string
	more     func(n int) string
	finished func(n int) string

	quitTitle, quitText      func(agents int) string
	failedTitle, failedStart string
}

// windowTitle is the same in every language: a count and a name.
func windowTitle(waiting int) string {
	if waiting == 0 {
		return "Parley"
	}
	return fmt.Sprintf("(%d) Parley", waiting)
}

// textsFor picks the language: the setting, else that of the system.
func textsFor(language string) texts {
	if language == "" {
		for _, k := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
			if v := os.Getenv(k); v != "" {
				language = v
				break
			}
		}
	}
	if strings.HasPrefix(strings.ToLower(language), "zh") {
		return chinese
	}
	return english
}

var english = texts{
	asks: func(k app.Kind) string {
		if k == app.KindApproval {
			return "An agent asks for permission"
		}
		return "An agent asks"
	},
	more: func(n int) string {
		if n == 1 {
			return "1 more question waits"
		}
		return fmt.Sprintf("%d more questions wait", n)
	},
	finished: func(n int) string {
		if n == 1 {
			return "An agent has finished"
		}
		return fmt.Sprintf("%d agents have finished", n)
	},
	quitTitle: func(n int) string {
		if n == 1 {
			return "Quit and stop 1 agent?"
		}
		return fmt.Sprintf("Quit and stop %d agents?", n)
	},
	quitText: func(int) string {
		return "Their sessions are kept. Open one again and send a message to go on."
	},
	failedTitle: "Parley can't start",
	failedStart: "Parley can't start: %s",
}

var chinese = texts{
	asks: func(k app.Kind) string {
		if k == app.KindApproval {
			return "智能体请求许可"
		}
		return "智能体有问题问你"
	},
	more: func(n int) string { return fmt.Sprintf("还有 %d 个问题等你处理", n) },
	finished: func(n int) string {
		if n == 1 {
			return "一个智能体已完成"
		}
		return fmt.Sprintf("%d 个智能体已完成", n)
	},
	quitTitle: func(n int) string {
		return fmt.Sprintf("退出并停止 %d 个智能体？", n)
	},
	quitText: func(int) string {
		return "会话会保留。重新打开会话并发送消息即可继续。"
	},
	failedTitle: "Parley 无法启动",
	failedStart: "Parley 无法启动：%s",
}
