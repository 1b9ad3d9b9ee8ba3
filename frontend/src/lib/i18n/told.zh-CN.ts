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
  exited: { title: '智能体意外退出了', advice: '再发一次消息即可重新启动。' },
  session_lost: { title: '智能体已经没有这个会话的记录', advice: '' },
  limit: { title: '用量已达上限', advice: '' },
  rate_limited: { title: '请求过于频繁', advice: '请稍后再试。' },
  refused_mode: { title: '智能体不接受这个权限模式', advice: '' },
  folder_unusable: { title: '文件夹不可用', advice: '' },
  failed: { title: '本轮以错误结束', advice: '看看它最后的消息，再发一条。' },
  restarted: { title: 'Parley 重新启动，本轮中断了', advice: '再发一次消息即可继续。' },
};
