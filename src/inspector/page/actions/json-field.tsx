/** An editor of JSON. The text is read while it is written. */
import type { JsonValue } from '../../../index.ts'
import { visibleJson } from '../../../kit/index.ts'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'

/** A text that was read as JSON. */
export type ReadJson =
  | { readonly value: JsonValue; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined }

export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { fault: 'The field is empty.' }
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch (error) {
    return { fault: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export function jsonText(value: unknown): string {
  return visibleJson(value, 2)
}

interface JsonFieldProps {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly rows?: number
}

export function JsonField({ label, text, onText, rows = 8 }: JsonFieldProps): VNode {
  const id = useId()
  const { fault } = readJson(text)
  return (
    <label class="field">
      {label}
      <textarea
        class="mono"
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={fault === undefined ? undefined : 'true'}
        aria-describedby={id}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <span id={id} class={fault === undefined ? 'field-note muted' : 'field-note fault'}>
        {fault ?? 'JSON'}
      </span>
    </label>
  )
}
