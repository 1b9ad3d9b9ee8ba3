import type { Action, Approval, Interaction } from '../../backend/types.gen.ts';
import { type PlainKey, type T, useT } from '../../lib/i18n/i18n.ts';
import { neutral, oneLine, shorten, shortPath } from '../../lib/text.ts';
import { useAgentName } from '../../state/agents.ts';
import { useSettings } from '../../state/settings.ts';
import { ButtonKey, Coded } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';
import { allowActions, asksAgain, decisionKeys, isRisky, noKey, yesKey } from './card.logic.ts';
import { CloseButton, MoreTime } from './time.tsx';

/** The two steps of a decision, as the card holds them. */
export interface Deciding {
  /** What was asked once more about, "" in the first step. */
  asked: Action | '';
  /** Decides, or asks once more when the decision is a grave one. */
  choose: (action: Action) => void;
  yes: () => void;
  no: () => void;
}

interface Props {
  i: Interaction;
  act: (fn: () => void) => void;
  deciding: Deciding;
}

const words: Partial<Record<Action, PlainKey>> = {
  allow_once: 'card.allowOnce',
  allow_session: 'card.allowSession',
  allow_always: 'card.allowAlways',
  deny: 'card.deny',
};
const more: Partial<Record<Action, PlainKey>> = {
  allow_once: 'card.allowOnceMore',
  allow_always: 'card.allowAlwaysMore',
};

/** Allow and deny. When something could be destroyed Deny is the strong one. */
export function Decisions({ i, act, deciding }: Props) {
  const t = useT();
  const a = i.approval!;
  if (deciding.asked) return <AskedAgain i={i} act={act} deciding={deciding} asked={deciding.asked} />;
  const risky = isRisky(a);
  const actions = allowActions(a);
  const [first, ...wider] = actions;
  const deny = <Decide action="deny" solid={risky} a={a} act={act} deciding={deciding} />;
  return (
    <footer className={actions.length > 2 ? 'c-foot c-foot-two' : 'c-foot c-foot-wide'}>
      <CloseButton i={i} act={act} />
      <MoreTime i={i} act={act} />
      <span className="echo">{risky ? t('card.asksOnceMore') : ''}</span>
      {!risky && deny}
      {wider.reverse().map((action) => (
        <Decide key={action} action={action} a={a} act={act} deciding={deciding} />
      ))}
      <Decide action={first!} solid={!risky} a={a} act={act} deciding={deciding} />
      {risky && deny}
    </footer>
  );
}

interface ButtonProps {
  action: Action;
  solid?: boolean;
  a: Approval;
  act: Props['act'];
  deciding: Deciding;
}

function Decide({ action, solid = false, a, act, deciding }: ButtonProps) {
  const t = useT();
  const again = asksAgain(a, action);
  const risk = again && isRisky(a);
  return (
    <button
      type="button"
      className={`btn${solid ? ' solid' : ''}${risk ? ' risk' : ''}`}
      data-act={action}
      aria-keyshortcuts={decisionKeys[action]}
      title={scopeTitle(t, a, action)}
      onClick={() => act(() => deciding.choose(action))}
    >
      {t((again && more[action]) || words[action]!)}
      <ButtonKey live>{decisionKeys[action]}</ButtonKey>
    </button>
  );
}

/** What "in this session" lets through, as a tooltip: nothing but this command, or all of a tool. */
function scopeTitle(t: T, a: Approval, action: Action): string | undefined {
  if (action !== 'allow_session') return undefined;
  const grant = a.grants?.find((g) => g.action === action);
  if (!grant) return t('grant.sessionByAgent');
  return grant.command
    ? t('grant.sessionCommand', { command: shorten(oneLine(grant.command), 120) })
    : t('grant.sessionTool', { tool: oneLine(grant.tool) });
}

/**
 * The second step. What it says stands where the buttons were, so that a hasty
 * second click hits nothing; yes has a key of its own, and Enter is not it.
 */
function AskedAgain({ i, act, deciding, asked }: Props & { asked: Action }) {
  const t = useT();
  const a = i.approval!;
  const risky = isRisky(a);
  return (
    <footer className={risky ? 'c-ask bad' : 'c-ask'}>
      <div className="c-ask-words">
        <Icon name={risky ? 'warn' : 'info'} />
        <div>{asked === 'allow_always' ? <AlwaysWords i={i} /> : t('card.really')}</div>
      </div>
      <div className="c-foot">
        <button
          type="button"
          className={risky ? 'btn risk' : 'btn'}
          data-act="yes"
          aria-keyshortcuts={yesKey}
          onClick={() => act(deciding.yes)}
        >
          {t(asked === 'allow_always' ? 'card.yesAlways' : 'card.yesAllow')}
          <ButtonKey live>{yesKey}</ButtonKey>
        </button>
        <span className="echo" />
        <button
          type="button"
          className="btn"
          data-act="no"
          aria-keyshortcuts={noKey}
          onClick={() => act(deciding.no)}
        >
          {t('card.notYet')}
          <ButtonKey live>{noKey}</ButtonKey>
        </button>
        <Decide action="deny" solid={risky} a={a} act={act} deciding={deciding} />
      </div>
    </footer>
  );
}

/** What will be allowed from now on, where, and how to take it back. */
function AlwaysWords({ i }: { i: Interaction }) {
  const t = useT();
  const home = useSettings((s) => s.about.home);
  const { name } = useAgentName(i.agent);
  const grant = i.approval!.grants?.find((g) => g.action === 'allow_always');
  if (!grant) return <p>{t('grant.alwaysByAgent', { name })}</p>;
  const folder = oneLine(shortPath(grant.folder, home));
  return (
    <>
      <p>
        {grant.command
          ? t('grant.alwaysCommand', { name, folder })
          : t('grant.alwaysTool', { name, folder, tool: oneLine(grant.tool) })}
      </p>
      {grant.command && <pre className="cmd">{neutral(grant.command)}</pre>}
      <p className="sec">
        <Coded text={t('grant.takeBack')} />
      </p>
    </>
  );
}
