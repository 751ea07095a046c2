/** The status of a run, as a badge with a sign and a word. */
import type { VNode } from 'preact'

interface StatusProps {
  readonly status: string
  readonly outcome?: string | undefined
}

const looks: Readonly<Record<string, readonly [sign: string, kind: string]>> = {
  running: ['●', 'now'],
  suspended: ['‖', 'warn'],
  completed: ['✓', 'ok'],
  bailed: ['↗', 'ok'],
  exhausted: ['!', 'warn'],
  stopped: ['■', 'warn'],
  tripped: ['!', 'warn'],
  failed: ['✕', 'bad'],
  left: ['✕', 'bad'],
  cancelled: ['–', ''],
}

export function Status({ status, outcome }: StatusProps): VNode {
  const word = outcome ?? status
  const [sign, kind] = (Object.hasOwn(looks, word) ? looks[word] : undefined) ?? ['○', '']
  return (
    <span class={`badge ${kind}`}>
      <span aria-hidden="true">{sign}</span>
      <span>{word}</span>
    </span>
  )
}
