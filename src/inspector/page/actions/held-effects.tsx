/** What a dry fork holds: each effect that would pay or act, with the outcome that it is to have. */
import type { ErrorData, JsonValue } from '../../../index.ts'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { DryState, HeldEffect, ScriptRequest } from '../../wire/dry.ts'
import { messageOf } from '../connection/failure.ts'
import { plural } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Link } from '../shared/link.tsx'
import { usePage } from '../shared/page-context.ts'
import { Said } from '../shared/words.tsx'
import { Choices } from './choices.tsx'
import { JsonField, jsonText, readJson } from './json-field.tsx'
import { useSending } from './use-sending.ts'

interface HeldEffectsProps {
  readonly runId: string
  readonly dry: DryState
}

export function HeldEffects({ runId, dry }: HeldEffectsProps): VNode {
  const { held, origin } = dry
  return (
    <section class="run-questions held-effects" aria-label="Held effects" tabIndex={0}>
      <h2>{held.length === 0 ? 'A dry fork' : `${plural(held.length, 'effect')} held for you`}</h2>
      <p class="muted">
        Nothing is paid and nothing is done: you say what comes of it. It comes from{' '}
        <Link to={{ view: 'run', runId: origin, tab: 'summary' }} class="mono">
          {origin}
        </Link>
        , is in no list, and goes with this inspector.
      </p>
      <ul>
        {held.map((effect) => (
          <Held key={effect.key} runId={runId} effect={effect} />
        ))}
      </ul>
    </section>
  )
}

const verbs: Readonly<Record<HeldEffect['kind'], string>> = {
  model: 'asks the model',
  compaction: 'has messages summarised by',
  tool: 'calls the tool',
  workflow: 'starts the workflow',
  remote: 'asks the agent of another system',
  agent: 'asks the agent',
  memory: 'writes to its memory',
  hook: 'calls the hook',
  scorer: 'calls the scorer',
  config: 'reads the configuration',
  custom: 'performs the effect',
}

type Form = 'text' | 'value' | 'error'

const errorTemplate = { name: 'Error', code: 'TERMINAL', message: 'It failed.' }

function Held({ runId, effect }: { readonly runId: string; readonly effect: HeldEffect }): VNode {
  const { api } = usePage()
  const { key, kind, name, agent, path, input, template, isCut } = effect
  const speaks = kind === 'model' || kind === 'compaction'
  const [form, setForm] = useState<Form>(speaks ? 'text' : 'value')
  const [reply, setReply] = useState('')
  const [edited, setEdited] = useState<string | undefined>(undefined)
  const sending = useSending()
  const json = edited ?? jsonText(form === 'error' ? errorTemplate : template)
  const read = form === 'text' ? { value: reply } : readJson(json)
  const labels = { text: 'A text', value: speaks ? 'A reply as JSON' : 'A value', error: 'An error' }
  const choose = (next: Form) => {
    setForm(next)
    setEdited(undefined)
  }
  const send = () => {
    if (read.fault !== undefined) return
    const request = requestOf(key, form, read.value)
    sending.send(() => api.script(runId, request), `${name ?? kind}: the outcome is on record.`)
  }
  return (
    <li class="question">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
        }}
      >
        <div class="question-head" title={path}>
          <b class="said">
            <Said text={agent} />
          </b>
          <span>{verbs[kind]}</span>
          {name !== undefined && kind !== 'memory' && (
            <b class="said">
              <Said text={name} />
            </b>
          )}
        </div>
        {isCut === true && <p class="muted">Long texts and lists are cut.</p>}
        <Json name="request" value={input} open={1} />
        <Choices
          legend={`Outcome of ${name ?? kind}`}
          isLegendUnseen
          name={`outcome ${key}`}
          chosen={form}
          choose={choose}
          options={(speaks ? (['text', 'value', 'error'] as const) : (['value', 'error'] as const)).map(
            (value) => ({ value, words: labels[value] }),
          )}
        />
        {form === 'text' ? (
          <label class="field">
            The reply of {name}
            <textarea rows={3} value={reply} onInput={(event) => setReply(event.currentTarget.value)} />
          </label>
        ) : (
          <JsonField
            label={form === 'error' ? 'Error' : kind === 'memory' ? 'null: as written' : 'Value'}
            text={json}
            onText={setEdited}
            rows={form === 'error' || speaks ? 5 : 3}
          />
        )}
        <p class={sending.error === undefined ? 'unseen' : 'fault said'} role="alert">
          {sending.error === undefined ? '' : messageOf(sending.error)}
        </p>
        <div class="question-actions">
          <button type="submit" class="button main" disabled={sending.isSending || read.fault !== undefined}>
            Go on with this
          </button>
        </div>
      </form>
    </li>
  )
}

function requestOf(key: string, form: Form, value: JsonValue): ScriptRequest {
  return form === 'error' ? { key, error: value as unknown as ErrorData } : { key, value } // the server reads it strictly
}
