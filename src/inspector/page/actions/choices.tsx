/** One of a few values, by radio buttons. */
import type { VNode } from 'preact'

interface Option<Value extends string> {
  readonly value: Value
  readonly words: string
  /** Why it cannot be chosen. */
  readonly refusal?: string | undefined
}

interface ChoicesProps<Value extends string> {
  readonly legend: string
  /** For readers of screens alone. */
  readonly isLegendUnseen?: boolean
  /** Of the group, in its dialog. */
  readonly name: string
  readonly chosen: Value
  readonly choose: (value: Value) => void
  readonly options: readonly Option<Value>[]
  /** One below the other. */
  readonly isColumn?: boolean
}

export function Choices<Value extends string>(props: ChoicesProps<Value>): VNode {
  const { legend, isLegendUnseen = false, name, chosen, choose, options, isColumn = false } = props
  return (
    <fieldset class={isColumn ? 'choices column' : 'choices'}>
      <legend class={isLegendUnseen ? 'unseen' : undefined}>{legend}</legend>
      {options.map(({ value, words, refusal }) => (
        <label key={value} title={refusal}>
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            disabled={refusal !== undefined}
            onChange={() => choose(value)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  )
}
