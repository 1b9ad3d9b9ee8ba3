// What the back end says, in Chinese, by its code. The back end writes English;
// details that only its own sentence has are shown beside these.

/** Refused calls. Codes whose own sentence says more than the code are left out. */
export const errors: Readonly<Record<string, string>> = {
  already_resolved: '这个提问已经有了结果。',
  session_closed: '会话已关闭，请先重新打开。',
  session_busy: '会话正忙，请稍后再试。',
  no_active_turn: '这个会话现在没有在进行的轮次。',
  not_found: '没有找到，可能已被删除。',
  unavailable: '后端没有响应，请稍后再试。',
  closing: 'Parley 正在关闭，请稍后再试。',
  agent_not_installed: '这台电脑上没有安装这个智能体。',
  agent_not_logged_in: '这个智能体还没有登录。',
  pending_interactive_form: '请先回答或关闭正在等待的表单。',
  interactive_form_tool_required: '这个回答没有说明属于哪个表单。',
  interactive_form_tool_mismatch: '这个回答属于另一个表单，请看现在等待的那个。',
  interactive_form_not_pending: '没有表单在等这个回答。',
  payload_too_large: '内容太大了。',
  internal: 'Parley 内部出错了，详情在日志里。',
};

/** Problems of agents and turns. */
export const problems: Readonly<Record<string, { title: string; advice: string }>> = {
  not_logged_in: { title: '未登录', advice: '请先登录，再重新查找：' },
  not_installed: { title: '没有安装', advice: '' },
  too_old: { title: '版本过旧', advice: '请更新后再重新查找：' },
  broken: { title: '无法启动', advice: '' },
  not_started: { title: '没能启动', advice: '请再发一次消息；如果还不行，请重新查找智能体。' },
  exited: { title: '智能体意外退出了', advice: '再发一次消息即可重新启动。' },
  cannot_fork: { title: '这个智能体不能分叉会话', advice: '' },
  origin_went_on: { title: '副本写下之前，原来的会话已经继续了', advice: '请再次分叉那个会话。' },
  session_lost: { title: '智能体已经没有这个会话的记录', advice: '' },
  limit: { title: '用量已达上限', advice: '' },
  rate_limited: { title: '请求过于频繁', advice: '请稍后再试。' },
  refused_mode: { title: '智能体不接受这个权限模式', advice: '' },
  folder_unusable: { title: '文件夹不可用', advice: '' },
  failed: { title: '本轮以错误结束', advice: '看看它最后的消息，再发一条。' },
  restarted: { title: 'Parley 重新启动，本轮中断了', advice: '再发一次消息即可继续。' },
};

const update = '请更新它。';

/** What the doctor found of an agent. */
export const findings: Readonly<Record<string, { text: string; advice: string }>> = {
  trial_broke: { text: '{name} 的测试中断了。', advice: '' },
  before_failed: { text: '前面的检查失败，因此未测。', advice: '' },
  no_local_model: { text: '{name} 无法改用本机上的模型，没有账号就无法测试这一项。', advice: '' },
  needs_login: { text: '{name} 能启动，但开始会话前要求登录，而测试没有账号。', advice: '' },
  no_start: { text: '{name} 在 {time}内没有准备好。', advice: '请在终端里启动一次，看看它的提示。' },
  no_word: { text: '{name} 收到消息后 {time}没有任何回应。', advice: '请在终端里启动一次，看看它的提示。' },
  no_end: { text: '{name} 开始回应，但在 {time}内没有结束这一轮。', advice: update },
  agent_failed: { text: '{name} 运行失败。', advice: '请在终端里启动一次，看看它的提示。' },
  no_answer: {
    text: '{name} 没有说出模型的任何一句话就结束了。',
    advice: '请在终端里启动一次，看看它的提示。',
  },
  tools_missing: {
    text: '{name} 没有把 Parley 的工具交给模型，因此无法向你提问。',
    advice: '如果它有隐藏 MCP 工具的设置，请关闭；否则请更新它。',
  },
  tools_off: {
    text: '{name} 可以把 Parley 的工具交给模型，但你已将它们关闭，因此它无法向你提问。',
    advice: '请重新开启：',
  },
  approval_skipped: {
    text: '{name} 没有询问就运行了命令，尽管它被要求先询问。',
    advice: '请查看它自己的设置允许了什么，或改用计划模式。',
  },
  approval_silent: { text: '{name} 一直在等一个从未提出的许可，等了 {time}。', advice: update },
  approval_refused: {
    text: '{name} 没有请求运行命令的许可，也没有运行它。',
    advice: '可能是它自己的设置禁止了命令。',
  },
  approval_lost: { text: '{name} 得到许可后没有继续。', advice: update },
  question_none: { text: '{name} 的模型提了问题，但没有出现卡片。', advice: update },
  question_lost: { text: '出现了卡片，但答案没有送到 {name} 的模型。', advice: update },
  question_first: { text: '没有出现提问，因此未测。', advice: '' },
  cancel_stuck: { text: '{name} 不理会停止：这一轮在 {time}内没有结束。', advice: update },
  cancel_ignored: {
    text: '{name} 不理会停止，Parley 只好结束它的进程，下一条消息会重新启动它。',
    advice: update,
  },
  cancel_deaf: { text: '{name} 被停止后不再接收消息。', advice: `停止后请关闭会话再重新打开。${update}` },
  resume_never: { text: '{name} 无法恢复之前的会话。', advice: '' },
  resume_failed: { text: '{name} 的进程结束后，没有恢复原来的会话。', advice: update },
  resume_forgot: { text: '{name} 重新启动了，但不记得之前的内容。', advice: update },
  waits_early: {
    text: '{name} 在 {time}后就中断了工具调用，尽管它被告知可以等 {limit}。提问会在你看到之前关闭。',
    advice: update,
  },
  waits_own: {
    text: '无论怎么设置，{name} 都会在 {time}后中断工具调用，等得更久的提问会丢失。',
    advice: `请在这段时间内回答。${update}`,
  },
  waits_unmeasured: { text: '{name} 让提问等了 {time}，还会继续等。能否等上一小时没有测试。', advice: '' },
  waits_override: {
    text: '{name} 的提问最多等 {time}，来自你在 `mcp-overrides.jsonc` 中的覆盖设置，它的卡片会显示这个上限。',
    advice: '',
  },
  left_processes: {
    text: '{name} 留下了进程。',
    advice: '请结束它们，并重新启动 Parley：它会结束能证明属于自己的进程。',
  },
  left_files: { text: '{name} 留下了 Parley 的文件。', advice: '请重新启动 Parley：它会清除它们。' },
};
