// Texts of the doctor, in Simplified Chinese.

import type { doctor as english } from './doctor.en.ts';

export const doctor: Record<keyof typeof english, string> = {
  'doctor.title': '体检',
  'doctor.what':
    '在单独的文件夹里启动每个智能体的真实程序，由本机上的脚本模型应答，检查它能否向你提问、等待并被停止。不使用任何账号，不向外发送任何内容，大约需要半分钟。',
  'doctor.tried': '{day} {time} 用脚本模型测试，用时 {duration}',
  'doctor.trying': '正在测试，{time}',
  'doctor.run': '测试全部智能体',
  'doctor.again': '重新体检',
  'doctor.stop': '停止',
  'doctor.changed': '{names}：现在安装的版本与上次测试的不同。',
  'doctor.tryChanged': '测试',
  'doctor.starts': '启动用时',
  'doctor.tools': '能看到工具',
  'doctor.approval': '请求许可',
  'doctor.question': '出现卡片',
  'doctor.cancel': '停止用时',
  'doctor.resume': '恢复用时',
  'doctor.waits': '实际可等',
  'doctor.left': '残留',
  'doctor.of': '{n}/{of}',
  'doctor.ms': '{n} 毫秒',
  'doctor.nothing': '无',
  'doctor.failed': '失败',
  'doctor.notTried': '未测',
  'doctor.now': '测试中…',
  'doctor.queued': '待测',
  'doctor.setByYou': '{time}，由你设定',
  'doctor.limitTried': '以 {limit} 的上限测试，等了 {time}。',
  'doctor.line': '位于该文件第 {n} 行。',
  'doctor.show': '查看',
  'doctor.detail': '实际情况',
};
