// Texts of notices, permissions and what is kept, in Simplified Chinese.

import type { Forms } from './i18n.ts';
import type { settings as english } from './settings.en.ts';

export const settings: { [K in keyof typeof english]: string | Forms } = {
  'attention.title': '通知',
  'attention.finished': '智能体完成时也通知',
  'attention.finishedNote': '同时完成的合成一条通知，提问总在前面。',
  'attention.sound': '带系统提示音',
  'attention.quiet': '免打扰时段',
  'attention.quietNote': '这段时间不弹出通知，提问照常计数。',
  'attention.between': '免打扰时间',
  'attention.from': '免打扰开始',
  'attention.until': '免打扰结束',
  'attention.command': '每次提问时运行一个程序',
  'attention.commandNote': '提问出现和结束时，它会收到 JSON 格式的记录。先写完整路径，再每行写一个参数。',
  'attention.commandElsewhere': '只能在这台电脑上的窗口里修改。',
  'attention.noCommand': '无',
  'rules.title': '长期许可',
  'rules.note': '这些是你用“始终允许”给出的许可。只对写明的内容和文件夹有效，有风险的操作从不在内。',
  'rules.none': '目前没有。所有许可都只限一次或一个会话。',
  'rules.everyUse': '任意使用 {tool}',
  'rules.where': '{name}，位于 {folder}',
  'rules.given': '{when} 给出',
  'rules.used': { other: '用过 {n} 次，最近 {when}' },
  'rules.unused': '尚未用过',
  'rules.revoke': '收回',
  'rules.notRead': '无法读取列表。',
  'rules.notRevoked': '没有收回：与后端的连接断开了。',
  'kept.title': '保留内容',
  'kept.sessions': '会话，自最后一轮起',
  'kept.sessionsNote':
    '0 表示永久保留。到期后，会话及 Parley 保存的相关内容一并删除；还有提问在等你时除外。你的文件夹从不改动。',
  'kept.outputs': '工具的长输出',
  'kept.outputsNote': '0 表示与会话一同保留。',
  'kept.logs': '日志文件',
  'kept.logsNote': '每个 5 MiB，保留最新的。',
  'kept.backups': '记录的副本',
  'kept.backupsNote': '每次更新前制作，保留最新的。',
  'kept.days': '天',
  'kept.files': '个',
  'kept.copies': '份',
};
