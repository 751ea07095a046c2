/**
 * Forks the run after a row, with the recorded outcome or another one. The fork is tried at the server while it is edited:
 * it begins nothing, and says whether the journal takes it.
 */
import type { ErrorData, JournalEntry } from '../../../index.ts'
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DryRequest, Forked, ForkRequest } from '../../wire/routes.ts'
import type { Row } from '../../wire/rows.ts'
import { messageOf } from '../connection/failure.ts'
import { plural } from '../shared/format.ts'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { goTo } from '../shared/router.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import { Choices } from './choices.tsx'
import { Dialog } from './dialog.tsx'
import { JsonField, jsonText, readJson } from './json-field.tsx'
import type { PropsOf } from './open-dialog.ts'
import { useSending } from './use-sending.ts'

type Outcome = 'same' | 'value' | 'error'

/** A dry fork asks before it pays or acts. */
type Mode = 'dry' | 'acting'

/** Whether hooks and scorers are called in a dry fork. */
type Functions = NonNullable<DryRequest['functions']>

const dryWords =
  'Nothing: a dry fork asks you for the outcome of each model call, tool, workflow, request to another system and memory write'
const actingWords = 'All that the run may: it pays its models, and its tools act'

const errorTemplate = { name: 'Error', code: 'TERMINAL', message: 'It failed.' }

export function ForkDialog({ runId, row, withPatch, done }: PropsOf<'fork'>): VNode {
  const { api, service } = usePage()
  const refusals = { dry: refusalOf(service, 'dry'), acting: refusalOf(service, 'fork') }
  const [mode, setMode] = useState<Mode>(refusals.dry === undefined ? 'dry' : 'acting')
  const [functions, setFunctions] = useState<Functions>('run')
  const canPatch = row.type === 'effect.settled'
  const recorded = useLoaded(canPatch ? `${runId} ${row.row}` : undefined, (signal) =>
    api.row(runId, row.row, signal),
  )
  const [outcome, setOutcome] = useState<Outcome>(
    canPatch && withPatch ? (row.error === undefined ? 'value' : 'error') : 'same',
  )
  const [edited, setEdited] = useState<string | undefined>(undefined)
  const sending = useSending()
  const text = edited ?? (outcome === 'same' ? '' : recordedText(recorded.value?.entry, outcome))
  const request = requestOf(row, outcome, text)
  const trial = useTrial(runId, mode, request.fault === undefined ? request.value : undefined)
  const refusal = refusals[mode] ?? request.fault ?? trial.refusal

  const fork = async (given: ForkRequest) => {
    const { runId: forked }: Forked =
      mode === 'dry' ? await api.forkDry(runId, { ...given, functions }) : await api.fork(runId, given)
    if (forked !== undefined) goTo({ view: 'run', runId: forked, tab: 'thread' })
  }
  const choose = (next: Outcome) => {
    setOutcome(next)
    setEdited(undefined)
  }
  return (
    <Dialog
      title={`Fork after entry ${row.row + 1}`}
      sendLabel={mode === 'dry' ? 'Begin the dry fork' : 'Begin, pay and act'}
      isDanger={mode === 'acting'}
      isWide
      onSend={() => {
        if (request.fault === undefined) sending.send(() => fork(request.value), 'The fork has begun.')
      }}
      refusal={refusal}
      {...sending}
    >
      <p>
        Another run begins with the first {plural(row.entry + 1, 'entry')} of this one, and goes on by itself.
        This run stays as it is, and so do its threads: the fork has its own.
      </p>
      <Choices
        legend="What it may do"
        name="mode"
        isColumn
        chosen={mode}
        choose={setMode}
        options={[
          { value: 'dry', words: dryWords, refusal: refusals.dry },
          { value: 'acting', words: actingWords, refusal: refusals.acting },
        ]}
      />
      {mode === 'dry' ? (
        <label class="check">
          <input
            type="checkbox"
            checked={functions === 'ask'}
            onChange={(event) => setFunctions(event.currentTarget.checked ? 'ask' : 'run')}
          />
          Ask for the answers of hooks and scorers too: else they are called, and do what they do
        </label>
      ) : (
        <DoneBehind done={done} />
      )}
      {canPatch && (
        <Choices
          legend={`Outcome of the last shared entry: ${row.line}`}
          name="outcome"
          chosen={outcome}
          choose={choose}
          options={[
            { value: 'same', words: 'As recorded' },
            { value: 'value', words: 'Another value' },
            { value: 'error', words: 'An error' },
          ]}
        />
      )}
      {outcome !== 'same' && recorded.state === 'loading' && <p class="muted">Loading the outcome …</p>}
      {outcome !== 'same' && recorded.state === 'failed' && (
        <p class="fault">The recorded outcome could not be loaded: {messageOf(recorded.error)}</p>
      )}
      {outcome === 'value' && recorded.value?.isCut === true && (
        <p class="fault">
          The recorded value is too long to be edited here: the marks of the cuts are part of the text.
        </p>
      )}
      {outcome !== 'same' && (
        <JsonField label={outcome === 'value' ? 'Value' : 'Error'} text={text} onText={setEdited} rows={14} />
      )}
      <p class="muted" role="status">
        {request.fault === undefined ? trial.note : ''}
      </p>
    </Dialog>
  )
}

/** What a fork that acts pays and does: as much as the run has behind the entry, or what its models decide. */
function DoneBehind({ done }: Pick<PropsOf<'fork'>, 'done'>): VNode {
  return (
    <div class="notice">
      <p>
        {done.length === 0
          ? 'This run has paid and done nothing behind this entry. The fork pays and does what its models decide.'
          : 'Behind this entry this run has paid and done as follows. The fork does as much, or what its models decide:'}
      </p>
      {done.length > 0 && (
        <ul class="done-after">
          {done.map((text) => (
            <li key={text} class="said">
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function recordedText(entry: JournalEntry | undefined, outcome: 'value' | 'error'): string {
  const settlement = entry?.type === 'effect.settled' ? entry.settlement : undefined
  if (outcome === 'error') return jsonText(settlement?.error ?? errorTemplate)
  return settlement?.value === undefined ? '' : jsonText(settlement.value)
}

type Requested =
  | { readonly value: ForkRequest; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined }

function requestOf({ entry }: Row, outcome: Outcome, text: string): Requested {
  const at = entry + 1
  if (outcome === 'same') return { value: { at } }
  const read = readJson(text)
  if (read.fault !== undefined) return { fault: read.fault }
  if (outcome === 'value') return { value: { at, patch: { value: read.value } } }
  return { value: { at, patch: { error: read.value as unknown as ErrorData } } } // the server reads it strictly
}

interface Trial {
  readonly refusal?: string
  readonly note: string
}

/** Tries the request at the server, when it has rested a moment. */
function useTrial(runId: string, mode: Mode, request: ForkRequest | undefined): Trial {
  const { api } = usePage()
  const key = request === undefined ? undefined : JSON.stringify([mode, request])
  const [tried, setTried] = useState<{ readonly key: string; readonly error?: string } | undefined>(undefined)
  useEffect(() => {
    if (request === undefined || key === undefined) return undefined
    const timer = setTimeout(() => {
      const tried = { ...request, isTrial: true }
      const trial = mode === 'dry' ? api.forkDry(runId, tried) : api.fork(runId, tried)
      trial.then(
        () => setTried({ key }),
        (error: unknown) => setTried({ key, error: messageOf(error) }),
      )
    }, 250)
    return () => clearTimeout(timer)
  }, [key])
  if (key === undefined) return { note: '' }
  if (tried?.key !== key) return { refusal: 'The fork is being tried.', note: 'The fork is being tried …' }
  const { error } = tried
  return error === undefined ? { note: 'The journal takes this fork.' } : { refusal: error, note: '' }
}
