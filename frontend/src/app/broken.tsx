import { Component, type ReactNode } from 'react';
import { now } from '../lib/i18n/i18n.ts';

interface Props {
  children: ReactNode;
  /** Another place gets another chance. */
  place: string;
}

/** Keeps an error of one page from taking the whole window along. */
export class Unbroken extends Component<Props, { failed: string; place: string }> {
  override state = { failed: '', place: this.props.place };

  static getDerivedStateFromError(error: unknown) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps(props: Props, state: { failed: string; place: string }) {
    return props.place === state.place ? null : { failed: '', place: props.place };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    const t = now();
    return (
      <main className="main">
        <div className="gone" role="alert">
          <h1 className="h2">{t('broken.title')}</h1>
          <p className="sec">{t('broken.words')}</p>
          <pre className="out">{this.state.failed}</pre>
          <button type="button" className="btn" onClick={() => location.reload()}>
            {t('broken.reload')}
          </button>
        </div>
      </main>
    );
  }
}
