// One block of Markdown as elements. Raw HTML stays text, pictures are never
// fetched, links lead outside after a check of their protocol.

import { isValidElement, memo, type ReactNode, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { useT } from '../lib/i18n/i18n.ts';
import { addressBeside, safeURL } from '../lib/url.ts';
import { CodeBlock } from './code.tsx';
import { Icon } from './icon.tsx';
import { useOutside } from './outside.ts';

interface Props {
  text: string;
  live: boolean;
}

const plugins = [remarkGfm];

export default memo(function Markdown({ text, live }: Props) {
  const { open } = useOutside();
  const components = useMemo(() => elements(open, live), [open, live]);
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={safeURL}>
      {text}
    </ReactMarkdown>
  );
});

function elements(open: (url: string) => void, live: boolean): Components {
  return {
    a: ({ href, children }) => (
      <OutLink href={href ?? ''} open={open}>
        {children}
      </OutLink>
    ),
    img: ({ alt, src }) => <NoPicture alt={alt ?? ''} src={typeof src === 'string' ? src : ''} open={open} />,
    pre: ({ children }) => <>{children}</>,
    code: ({ className, children }) => {
      const text = String(children ?? '');
      const language = /language-(\S+)/.exec(className ?? '')?.[1] ?? '';
      if (!language && !text.includes('\n')) return <code>{text}</code>;
      return <CodeBlock text={text.replace(/\n$/, '')} language={language} live={live} />;
    },
    table: ({ children }) => (
      <div className="table-scroll" tabIndex={0} role="group">
        <table>{children}</table>
      </div>
    ),
    input: ({ checked }) => <input type="checkbox" checked={checked ?? false} disabled readOnly />,
  };
}

/**
 * A link whose click, with any button, goes to the person's browser and never
 * moves this page. Where its words don't say where it leads, the address does.
 */
function OutLink({
  href,
  open,
  children,
}: {
  href: string;
  open: (url: string) => void;
  children: ReactNode;
}) {
  if (!href) return <span>{children}</span>;
  const follow = (e: React.MouseEvent) => {
    e.preventDefault();
    open(href);
  };
  const address = addressBeside(textOf(children), href);
  return (
    <a href={href} title={href} rel="noopener noreferrer" onClick={follow} onAuxClick={follow}>
      {children}
      {address && <span className="mut"> ({address})</span>}
    </a>
  );
}

/** The words of an element, as far as they are text. */
function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : '';
}

function NoPicture({ alt, src, open }: { alt: string; src: string; open: (url: string) => void }) {
  const t = useT();
  return (
    <OutLink href={src} open={open}>
      <span className="no-picture">
        <Icon name="image" small />
        {alt || t('prose.picture')}
      </span>
    </OutLink>
  );
}
