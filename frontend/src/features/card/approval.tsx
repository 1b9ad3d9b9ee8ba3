import { Fragment } from 'react';
import type { Approval, Risk } from '../../backend/types.gen.ts';
import { type PlainKey, useT } from '../../lib/i18n/i18n.ts';
import { fewLines, neutral, oneLine } from '../../lib/text.ts';
import { hostParts } from '../../lib/url.ts';
import { Line, Paragraphs } from '../../ui/bits.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Icon } from '../../ui/icon.tsx';
import { descriptionLines, isRisky, marked } from './card.logic.ts';
import { type BodyProps, HeaderTag } from './clarify.tsx';
import { Say } from './say.tsx';

interface RiskWords {
  what: PlainKey;
  why: PlainKey;
}

/** What could be destroyed, and why that matters. The network alone is a note. */
const riskWords: Partial<Record<Risk, RiskWords>> = {
  force_push: { what: 'risk.forcePush', why: 'risk.forcePushWhy' },
  delete: { what: 'risk.delete', why: 'risk.deleteWhy' },
  outside_folder: { what: 'risk.outside', why: 'risk.outsideWhy' },
};

/** More lines than this, and a command says how long it is. */
const longCommand = 8;

/** What an agent wants to be allowed: the exact command or change, why, and what it could destroy. */
export function ApprovalBody({ i, draft, locked, edit, headingID }: BodyProps) {
  const t = useT();
  const a = i.approval!;
  const exact = a.command || (a.diff ? '' : a.detail);
  const network = reasonsOf(a, 'network').map(oneLine);
  return (
    <>
      {i.header && <HeaderTag text={i.header} />}
      <h2 className="q" id={headingID}>
        {/* Some agents give nothing but the command; it stands right below. */}
        <Paragraphs text={exact && a.title === exact ? t('card.runThis') : a.title || i.question} />
      </h2>
      {exact && <Exact text={neutral(exact)} hot={isRisky(a) ? graveWords(a) : []} />}
      {a.diff && <Diff text={a.diff} label={t('tool.diff')} />}
      {isRisky(a) && <Danger a={a} exact={exact} />}
      <dl className="facts">
        {a.why && (
          <>
            <dt>{t('card.why')}</dt>
            <dd>
              <Paragraphs text={fewLines(a.why, descriptionLines)} />
            </dd>
          </>
        )}
        {a.tool !== exact && (
          <>
            <dt>{t('card.tool')}</dt>
            <dd>
              <Line text={a.tool} />
            </dd>
          </>
        )}
        {a.risks.includes('network') && (
          <>
            <dt>{t('card.note')}</dt>
            <dd>
              {t('risk.network')}
              {network.length > 0 && <Words list={network} />}
            </dd>
          </>
        )}
        {a.detail && a.detail !== exact && (
          <>
            <dt>{t('card.detail')}</dt>
            <dd>
              <Paragraphs text={fewLines(a.detail, descriptionLines)} />
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

/** The words that make an approval risky in one way. */
function reasonsOf(a: Approval, risk: Risk): string[] {
  return (a.risk_reasons ?? []).filter((r) => r.risk === risk).map((r) => r.words);
}

function graveWords(a: Approval): string[] {
  return a.risks.filter((r) => riskWords[r]).flatMap((r) => reasonsOf(a, r).map(neutral));
}

/** A command to the last character, with what makes it risky marked in it. It never scrolls by itself. */
function Exact({ text, hot }: { text: string; hot: readonly string[] }) {
  const t = useT();
  const lines = text.split('\n').length;
  return (
    <>
      <pre className="cmd">
        {marked(text, hot).map((piece, n) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
          piece.hot ? <mark key={n}>{piece.text}</mark> : <Fragment key={n}>{piece.text}</Fragment>,
        )}
      </pre>
      {lines > longCommand && <p className="hint hint-flush">{t('card.lines', { n: lines })}</p>}
    </>
  );
}

/** Each thing that could be destroyed: what, by which words, and why that matters. */
function Danger({ a, exact }: { a: Approval; exact: string }) {
  const t = useT();
  const kinds = [...new Set(a.risks)].filter((r) => riskWords[r]);
  return (
    <div className="danger">
      {kinds.map((risk) => {
        const { what, why } = riskWords[risk]!;
        const words = reasonsOf(a, risk).filter((w) => w !== exact);
        return (
          <div key={risk}>
            <p className="danger-line">
              <Icon name="warn" />
              <span>{t(what)}</span>
            </p>
            <p className="danger-why">
              {t(why)}
              {words.length > 0 && <Words list={words.map(oneLine)} />}
            </p>
          </div>
        );
      })}
    </div>
  );
}

/** The words that say so, as code. */
function Words({ list }: { list: readonly string[] }) {
  return (
    <>
      {[...new Set(list)].map((w) => (
        <Fragment key={w}>
          {' '}
          <code className="word">{w}</code>
        </Fragment>
      ))}
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
