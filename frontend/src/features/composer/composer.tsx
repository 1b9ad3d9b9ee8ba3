import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { api } from '../../backend/client.ts';
import type { MessageHow, Session } from '../../backend/types.gen.ts';
import { errorWords, useT } from '../../lib/i18n/i18n.ts';
import { useAgentName, useAgents } from '../../state/agents.ts';
import {
  changeComposerFiles,
  composerFiles,
  composerText,
  giveBack,
  setComposerText,
  useComposer,
} from '../../state/composer.ts';
import { waitingIn } from '../../state/live.reducer.ts';
import { takeSession, useLive } from '../../state/live.ts';
import { shownOf, usePictures } from '../../state/pictures.ts';
import { useSettings } from '../../state/settings.ts';
import { ButtonKey } from '../../ui/bits.tsx';
import { useGrow } from '../../ui/grow.ts';
import { Icon } from '../../ui/icon.tsx';
import { composing } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { ModeMenu } from '../../ui/modes.tsx';
import { AddPicture, Thumbs } from '../../ui/thumbs.tsx';
import { canStop, sends, type Way, waysToSend } from './composer.logic.ts';
import { Queue } from './queue.tsx';

interface Props {
  session: Session;
  /** Puts words into the card that waits here, when it takes any. It does not send them. */
  intoCard?: ((words: string) => void) | undefined;
  /** Puts the focus into the card that waits here. */
  toCard?: (() => void) | undefined;
}

/** The next message to a session, what waits behind the running turn, and the way to stop it. */
export function Composer({ session, intoCard, toCard }: Props) {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const fromCard = useRef(false);
  const text = useComposer((c) => composerText(c.texts, session.id));
  const ctrlSends = useSettings((s) => s.settings.send_key === 'ctrl_enter');
  const canSteer = useAgents(
    (s) => s.list?.agents.find((a) => a.family === session.agent)?.can_steer ?? false,
  );
  const { name } = useAgentName(session.agent);
  const waits = useLive((s) => waitingIn(s, session.id)[0]?.kind ?? '');
  const [error, setError] = useState('');
  useGrow(field, text, 0.4);

  const ways = waysToSend(session.state, canSteer);
  const files = useComposer((c) => composerFiles(c.files, session.id));
  const pictures = usePictures(session.id, files.length, api.savePicture, (f) =>
    changeComposerFiles(session.id, (list) => [...list, f]),
  );
  const seesPictures = useAgents(
    (s) => s.list?.agents.find((a) => a.family === session.agent)?.can_images ?? true,
  );
  // What is still on its way would stay behind.
  const empty = (text.trim() === '' && files.length === 0) || pictures.busy > 0;
  const stoppable = canStop(session.state);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an error belongs to its session
  useEffect(() => setError(''), [session.id]);
  // What was refused because of a form is no longer, once that is settled.
  const gated = waits === 'form';
  useEffect(() => {
    if (!gated) setError('');
  }, [gated]);

  const send = async (how: MessageHow) => {
    const message = text.trim();
    if (empty) return;
    setComposerText(session.id, '');
    changeComposerFiles(session.id, () => []);
    setError('');
    try {
      if (session.closed) takeSession(await api.resume(session.id));
      await api.send(session.id, {
        text: message,
        how,
        ...(files.length > 0 && { attachments: [...files] }),
      });
    } catch (e) {
      giveBack(session.id, message, files);
      setError(errorWords(e, t('composer.notSent')));
    }
  };
  const stop = () => {
    setError('');
    api.stop(session.id).catch((e) => setError(errorWords(e, t('composer.notStopped'))));
  };
  const change = async (what: { mode?: string; model?: string }) => {
    try {
      takeSession(await api.changeSession(session.id, what));
    } catch (e) {
      setError(errorWords(e, t('common.offline')));
    }
  };

  const placeholder =
    waits === 'form'
      ? t('composer.waitsForm')
      : waits
        ? t('composer.waitsCard', { name })
        : session.closed
          ? t('composer.closed', { name })
          : t('composer.message', { name });

  return (
    <div className="composer">
      <Queue session={session} fail={setError} />
      {error && (
        <div className="strip bad composer-error" role="alert">
          <Icon name="warn" />
          <div className="grow">{error}</div>
          <button
            type="button"
            className="btn icon sm"
            title={t('common.close')}
            onClick={() => setError('')}
          >
            <Icon name="x" small />
          </button>
        </div>
      )}
      <div className="comp" {...pictures.on}>
        <textarea
          ref={field}
          className="comp-text"
          dir="auto"
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={t('composer.message', { name })}
          data-home-focus=""
          onChange={(e) => setComposerText(session.id, e.target.value)}
          onFocus={(e) => {
            fromCard.current = e.relatedTarget?.closest('[data-card]') != null;
          }}
          onKeyDown={(e) => {
            // The card stands before the field. Who comes from there goes on to the buttons.
            if (e.key === 'Tab' && plain(e) && toCard && !fromCard.current) {
              e.preventDefault();
              return toCard();
            }
            const p = {
              key: e.key,
              ctrl: e.ctrlKey || e.metaKey,
              shift: e.shiftKey,
              alt: e.altKey,
              repeat: e.repeat,
              composing: composing(e),
            };
            if (sends(p, ctrlSends)) {
              e.preventDefault();
              // A closed session opens again only by the button that says so.
              if (!session.closed) void send('queue');
            } else if (e.key === 'Enter' && e.repeat && !e.shiftKey && !p.composing) e.preventDefault();
          }}
        />
        <Thumbs
          pictures={shownOf(session.id, files, api.pictureURL)}
          busy={pictures.busy}
          error={pictures.error}
          remove={(path) => changeComposerFiles(session.id, (list) => list.filter((f) => f.path !== path))}
        />
        {files.length > 0 && !seesPictures && <p className="comp-hint">{t('picture.inFolder', { name })}</p>}
        {!empty && (
          <Fate
            closed={session.closed}
            waits={waits}
            ways={ways}
            intoCard={
              intoCard &&
              (() => {
                intoCard(text);
                setComposerText(session.id, '');
              })
            }
          />
        )}
        <div className="bar">
          <span className="pick opt-low pick-still">{name}</span>
          <ModelMenu session={session} choose={(model) => void change({ model })} />
          <SessionMode session={session} choose={(mode) => void change({ mode })} />
          <span className="grow" />
          <AddPicture add={pictures.add} />
          {ways.includes('steer') && (
            <button
              type="button"
              className="btn sm way"
              title={t('composer.steerTitle')}
              data-act="steer"
              aria-disabled={empty || undefined}
              onClick={() => void send('steer')}
            >
              <Icon name="into" small />
              {t('composer.steer')}
            </button>
          )}
          {ways.includes('queue') && (
            <button
              type="button"
              className="btn sm way"
              title={t('composer.queueTitle')}
              data-act="queue"
              aria-disabled={empty || undefined}
              onClick={() => void send('queue')}
            >
              <Icon name="clock" small />
              {t('composer.queue')}
              {!ctrlSends && (
                <ButtonKey>
                  <Icon name="enter" small />
                </ButtonKey>
              )}
            </button>
          )}
          {ways.includes('send') && (
            <button
              type="button"
              className={empty ? 'btn sm' : 'btn sm solid'}
              aria-disabled={empty || undefined}
              title={ctrlSends ? t('composer.sendCtrlKey') : t('composer.sendKey')}
              onClick={() => void send('queue')}
            >
              <Icon name="send" small />
              {session.closed ? t('composer.reopenAndSend') : t('composer.send')}
            </button>
          )}
          {/* Always at this place, so that it is found at once and nothing else is hit by it. */}
          <button
            type="button"
            className="btn sm stop"
            aria-disabled={!stoppable || undefined}
            title={t('composer.stopKey')}
            onClick={() => stoppable && stop()}
          >
            <Icon name="stop" small />
            {session.state === 'stopping' ? t('session.stopping') : t('composer.stop')}
          </button>
        </div>
      </div>
    </div>
  );
}

/** Whether a key was pressed by itself. */
function plain(e: KeyboardEvent): boolean {
  return !(e.shiftKey || e.ctrlKey || e.metaKey || e.altKey || composing(e));
}

interface FateProps {
  closed: boolean;
  /** The kind of what waits for an answer here, "" for nothing. */
  waits: string;
  ways: readonly Way[];
  intoCard: (() => void) | undefined;
}

/**
 * What will happen to the text, on one line that is there before a card comes up
 * and only changes its words then: nothing moves under somebody who types.
 */
function Fate({ closed, waits, ways, intoCard }: FateProps) {
  const t = useT();
  if (closed) return <p className="comp-hint">{t('composer.hintClosed')}</p>;
  if (waits === 'form') return <p className="comp-hint">{t('composer.hintForm')}</p>;
  if (ways.includes('send')) return null;
  const steer = ways.includes('steer');
  const rest = waits
    ? steer
      ? t('composer.fateCardSteer')
      : t('composer.fateQueue')
    : steer
      ? t('composer.fateSteer')
      : t('composer.fateQueue');
  return (
    <p className="comp-hint fate">
      {waits && <b>{t('composer.noAnswer')}</b>}
      <span className="trunc grow" title={rest}>
        {rest}
      </span>
      {waits && intoCard && (
        <button type="button" className="link" onClick={intoCard} title={t('composer.useTitle')}>
          {t('composer.useAsAnswer')}
        </button>
      )}
    </p>
  );
}

function ModelMenu({ session, choose }: { session: Session; choose: (model: string) => void }) {
  const t = useT();
  const models = useAgents((s) => s.list?.agents.find((a) => a.family === session.agent)?.models);
  if (!models?.length && !session.model) return null;
  const known = models ?? [];
  const name = known.find((m) => m.id === session.model)?.name ?? session.model;
  const items = [
    { id: '', label: t('composer.ownModel'), checked: session.model === '' },
    ...known.map((m) => ({ id: m.id, label: m.name || m.id, checked: m.id === session.model })),
  ];
  return (
    <Menu className="pick opt-low" title={t('composer.model')} items={items} choose={choose}>
      <span className="trunc">{name || t('composer.ownModel')}</span>
      <Icon name="down" />
    </Menu>
  );
}

function SessionMode({ session, choose }: { session: Session; choose: (mode: string) => void }) {
  const modes = useAgents((s) => s.list?.agents.find((a) => a.family === session.agent)?.modes);
  return (
    <ModeMenu className="pick opt-low" mode={session.mode || 'ask'} modes={modes ?? []} choose={choose} />
  );
}
