import type { Risk } from '../../backend/types.gen.ts';
import { type PlainKey, useT } from '../../lib/i18n/i18n.ts';
import { neutral } from '../../lib/text.ts';
import { hostParts } from '../../lib/url.ts';
import { Line, Paragraphs } from '../../ui/bits.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Icon } from '../../ui/icon.tsx';
import { isRisky } from './card.logic.ts';
import { type BodyProps, HeaderTag } from './clarify.tsx';
import { Say } from './say.tsx';

const riskWords: Partial<Record<Risk, PlainKey>> = {
  delete: 'risk.delete',
  force_push: 'risk.forcePush',
  outside_folder: 'risk.outside',
  network: 'risk.network',
};

/** What an agent wants to be allowed: the exact command or change, why, and what it could destroy. */
export function ApprovalBody({ i, draft, locked, edit, headingID }: BodyProps) {
  const t = useT();
  const a = i.approval!;
  const risky = isRisky(a);
  const exact = a.command || (a.diff ? '' : a.detail);
  const grave = a.risks.filter((r) => r !== 'network' && riskWords[r]);
  return (
    <>
      {i.header && <HeaderTag text={i.header} />}
      <h2 className="q" id={headingID}>
        <Paragraphs text={a.title || i.question} />
      </h2>
      {exact && (
        <pre className="cmd" tabIndex={0}>
          {neutral(exact)}
        </pre>
      )}
      {a.diff && <Diff text={a.diff} label={t('tool.diff')} />}
      {risky && (
        <div className="danger">
          {grave.map((r) => (
            <p key={r} className="danger-line">
              <Icon name="warn" />
              <span>{t(riskWords[r]!)}</span>
            </p>
          ))}
        </div>
      )}
      <dl className="facts">
        {a.why && (
          <>
            <dt>{t('card.why')}</dt>
            <dd>
              <Line text={a.why} />
            </dd>
          </>
        )}
        <dt>{t('card.tool')}</dt>
        <dd>
          <Line text={a.tool} />
        </dd>
        {a.risks.includes('network') && (
          <>
            <dt>{t('card.note')}</dt>
            <dd>{t('risk.network')}</dd>
          </>
        )}
        {a.detail && a.detail !== exact && (
          <>
            <dt>{t('card.detail')}</dt>
            <dd>
              <Line text={a.detail} />
            </dd>
          </>
        )}
      </dl>
      <Say
        value={draft.text}
        placeholder={t('card.tellInstead')}
        change={(text) => edit({ text })}
        locked={locked}
      />
    </>
  );
}

/** A link that a server wants opened. The host is what gets read; nothing opens by itself. */
export function LinkBody({ i, headingID }: BodyProps) {
  const t = useT();
  const { before, host, after } = hostParts(i.url!);
  return (
    <>
      {i.server && (
        <div className="tag row tag-server">
          <Icon name="plug" small />
          <span>{t('card.fromServer', { server: i.server })}</span>
        </div>
      )}
      <h2 className="q" id={headingID}>
        <Paragraphs text={i.question} />
      </h2>
      <div className="url">
        {neutral(before)}
        <b>{neutral(host)}</b>
        {neutral(after)}
      </div>
      <p className="hint hint-flush">{host ? t('card.linkHint') : t('card.linkRefused')}</p>
    </>
  );
}
