/** The columns of the tree behind the name: their widths are dragged, and hold for all runs of the page. */
import { signal, type Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { Divider } from '../shared/divider.tsx'

interface Column {
  readonly name: string
  readonly label: string
  /** Pixels; `undefined`: those of the style sheet. */
  readonly width: Signal<number | undefined>
}

const columns: readonly Column[] = ['Outcome', 'Time', 'Tokens', 'Cost'].map((label) => ({
  name: label.toLowerCase(),
  label,
  width: signal(undefined),
}))

/** The widths that were chosen, as a style of the tree: its rows take theirs from it. */
export function columnStyle(): Readonly<Record<string, string>> {
  const chosen = columns.flatMap(({ name, width: { value } }) =>
    value === undefined ? [] : [[`--${name}`, `${value}px`] as const],
  )
  return Object.fromEntries(chosen)
}

export function ColumnHeads({ count }: { readonly count: number }): VNode {
  return (
    <div role="rowgroup" class="tree-head">
      <div role="row" class="tree-cells">
        <span role="columnheader">
          Actors <span class="muted number">{count}</span>
        </span>
        {columns.map(({ name, label, width }) => (
          <span key={name} role="columnheader" class={`tree-${name}`}>
            <Divider label={`Width of ${label}`} width={width} least={24} most={400} isLeft />
            {label}
          </span>
        ))}
      </div>
    </div>
  )
}
