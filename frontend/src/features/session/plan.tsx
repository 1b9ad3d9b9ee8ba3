import type { Plan, PlanStep } from '../../backend/types.gen.ts';
import { type PlainKey, useT } from '../../lib/i18n/i18n.ts';
import { oneLine } from '../../lib/text.ts';
import { setOpen, useView } from '../../state/view.ts';
import { Coded, Line, Paragraphs } from '../../ui/bits.tsx';
import { Icon, State, type StateName } from '../../ui/icon.tsx';

function doneOf(plan: Plan): number {
  return plan.plan.filter((s) => s.status === 'completed').length;
}

function stateOf(step: PlanStep, waits: boolean): StateName {
  if (step.status === 'completed') return 'ok';
  if (step.status === 'in_progress') return waits ? 'wait' : 'run';
  return 'idle';
}

const wordsOf: Record<StateName, PlainKey> = {
  ok: 'plan.done',
  run: 'plan.now',
  wait: 'plan.waits',
  idle: 'plan.open',
  queue: 'plan.open',
  bad: 'plan.open',
  off: 'plan.open',
  halt: 'plan.open',
};

/** The steps of a plan. The one in work waits for the person when a question is open. */
export function PlanSteps({ plan, waits }: { plan: Plan; waits: boolean }) {
  const t = useT();
  return (
    <ol>
      {plan.plan.map((step) => {
        const state = stateOf(step, waits);
        const now = step.status === 'in_progress';
        return (
          <li
            key={step.id}
            className={`step ${now ? 'now' : ''} ${state === 'ok' ? 'done' : ''}`}
            aria-current={now ? 'step' : undefined}
          >
            <State name={state} />
            <div dir="auto">
              <bdi className="vh">{t(wordsOf[state])}: </bdi>
              <Coded text={oneLine(step.step)} />
              {state === 'wait' && (
                <small>
                  <bdi>{t('plan.waitsForYou')}</bdi>
                </small>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** "2 of 5 done", or how the plan ended with steps left. */
export function PlanCount({ plan }: { plan: Plan }) {
  const t = useT();
  const count = t('plan.count', { done: doneOf(plan), n: plan.plan.length });
  if (plan.state === 'interrupted') return <>{t('plan.interrupted', { count })}</>;
  if (plan.state === 'failed') return <>{t('plan.failed', { count })}</>;
  return <>{count}</>;
}

/** A plan in the timeline: one line, with its steps inside. */
export function PlanLine({ plan, rowKey }: { plan: Plan; rowKey: string }) {
  const t = useT();
  const open = useView((v) => v.open[rowKey] ?? false);
  const current = plan.plan.find((s) => s.status === 'in_progress');
  return (
    <div className="tool-box" data-open={open || undefined}>
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(rowKey, !open)}>
        <Icon name="list" />
        <span>{t('plan.title')}</span>
        <span className="arg plain">{current && <Line text={current.step} />}</span>
        <span className="pm" />
        <span className="dur">
          <PlanCount plan={plan} />
        </span>
        <span className="tool-end" />
      </button>
      {open && (
        <div className="tool-more">
          {plan.explanation && (
            <div className="note sec">
              <Paragraphs text={plan.explanation} />
            </div>
          )}
          <PlanSteps plan={plan} waits={false} />
        </div>
      )}
    </div>
  );
}
