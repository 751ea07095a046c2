/** Answers a question: approve, approve with other arguments, deny, or go on with data. */
import type { ApprovalAnswer, JsonValue, RunSignal } from '../../../index.ts'
import { asksAboutPlan, visibleText } from '../../../kit/index.ts'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import { Json } from '../shared/json.tsx'
import { usePage } from '../shared/page-context.ts'
import { Choices } from './choices.tsx'
import { Dialog } from './dialog.tsx'
import { JsonField, jsonText, readJson } from './json-field.tsx'
import { PlanForm, readSteps, stepsIn, type EditedStep } from './plan-form.tsx'
import type { PropsOf } from './open-dialog.ts'
import { useSending } from './use-sending.ts'

type Decision = PropsOf<'answer'>['decision'] | 'change'

const labels: Readonly<Record<Decision, string>> = {
  approve: 'Approve',
  change: 'Approve with these arguments',
  deny: 'Deny',
  resume: 'Go on',
}

const done: Readonly<Record<Decision, string>> = {
  approve: 'approved',
  change: 'approved with other arguments',
  deny: 'denied',
  resume: 'answered',
}

export function AnswerDialog({ question, decision: first }: PropsOf<'answer'>): VNode {
  const { api, service } = usePage()
  const { runId, payload } = question
  const [toolName, agent] = [visibleText(question.toolName), visibleText(question.agent)]
  const [decision, setDecision] = useState<Decision>(first)
  const [reason, setReason] = useState('')
  const [args, setArgs] = useState(() => jsonText(question.args))
  const isPlan = asksAboutPlan(question.toolCallId)
  const [steps, setSteps] = useState<readonly EditedStep[]>(() => stepsIn(question.args))
  const [data, setData] = useState(() => (question.type === 'interruption' ? '{ "retry": true }' : '{}'))
  const [isAlways, setAlways] = useState(false)
  const [note, setNote] = useState('')
  const sending = useSending()
  const edited =
    decision === 'change'
      ? isPlan
        ? readSteps(steps)
        : readJson(args)
      : decision === 'resume'
        ? readJson(data)
        : undefined

  const send = () => {
    const signal = signalOf({
      id: question.toolCallId,
      decision,
      reason,
      isAlways,
      signature: signatureOf(note),
      value: edited?.value ?? null,
    })
    sending.send(() => api.signal(runId, signal), `${toolName}: ${done[decision]}.`)
  }
  return (
    <Dialog
      title={titleOf(question, toolName)}
      onSend={send}
      sendLabel={isPlan ? planLabels[decision] : labels[decision]}
      isDanger={decision === 'deny'}
      refusal={edited?.fault === undefined ? undefined : isPlan ? edited.fault : 'Correct the JSON first.'}
      {...sending}
    >
      <p>
        <b class="said">{agent}</b> asks.
        {question.type === 'interruption' &&
          ' Its process ended while the tool was at work: it may have had its effect.'}
      </p>
      {question.type === 'approval' && (
        <Choices
          legend="Decision"
          isLegendUnseen
          name="decision"
          chosen={decision}
          choose={setDecision}
          options={[
            { value: 'approve', words: labels.approve },
            { value: 'change', words: isPlan ? 'Change the steps' : 'Approve with other arguments' },
            { value: 'deny', words: labels.deny },
          ]}
        />
      )}
      {decision === 'change' && isPlan ? (
        <PlanForm asked={payload} steps={steps} onSteps={setSteps} />
      ) : decision === 'change' ? (
        <JsonField label="Arguments" text={args} onText={setArgs} />
      ) : (
        <div class="dialog-data">
          <Json name={isPlan ? 'plan' : 'arguments'} value={question.args} open={isPlan ? 3 : undefined} />
          {payload !== undefined && <Json name="asked" value={payload} />}
        </div>
      )}
      {decision === 'deny' && (
        <label class="field">
          Reason, which the model reads
          <input type="text" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
      {decision === 'resume' && (
        <JsonField
          label={question.type === 'interruption' ? '{ "retry": true }, or { "result": … }' : 'Data'}
          text={data}
          onText={setData}
        />
      )}
      {question.type === 'approval' && !isPlan && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAlways}
            onChange={(event) => setAlways(event.currentTarget.checked)}
          />
          Decide so for the later calls of {toolName} by {agent} in this run too
        </label>
      )}
      <Signature by={service?.by} note={note} onNote={setNote} />
    </Dialog>
  )
}

const planLabels: Readonly<Record<Decision, string>> = {
  ...labels,
  approve: 'Carry out the plan',
  change: 'Carry out these steps',
}

function titleOf({ toolCallId, type }: PropsOf<'answer'>['question'], toolName: string): string {
  if (asksAboutPlan(toolCallId)) return 'May the plan be carried out?'
  return type === 'approval' ? `May ${toolName} run?` : `${toolName} waits for data`
}

// Who answers, and a note: both are on record with the answer. The name is kept while the page is open.

const name = signal('')

/** What the journal is to say of the person who answers. */
function signatureOf(note: string): { readonly by?: string; readonly note?: string } {
  const by = name.value.trim()
  return { ...(by === '' ? {} : { by }), ...(note.trim() === '' ? {} : { note }) }
}

interface SignatureProps {
  /** The name that the server gives to each answer. */
  readonly by: string | undefined
  readonly note: string
  readonly onNote: (note: string) => void
}

function Signature({ by, note, onNote }: SignatureProps): VNode {
  return (
    <>
      <label class="field">
        Your name, for the record
        <input
          type="text"
          autocomplete="name"
          readOnly={by !== undefined}
          value={by ?? name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Note, for the record
        <input type="text" value={note} onInput={(event) => onNote(event.currentTarget.value)} />
      </label>
    </>
  )
}

interface Given {
  readonly id: string
  readonly decision: Decision
  readonly reason: string
  readonly isAlways: boolean
  readonly signature: Pick<ApprovalAnswer, 'by' | 'note'>
  /** The arguments or the data, where the decision has some. */
  readonly value: JsonValue
}

function signalOf({ id, decision, reason, isAlways, signature, value }: Given): RunSignal {
  const more = { ...signature, ...(isAlways ? { always: true } : {}) }
  switch (decision) {
    case 'approve':
      return { type: 'approve', toolCallId: id, ...more }
    case 'change':
      return { type: 'approve', toolCallId: id, args: value, ...more }
    case 'deny':
      return { type: 'deny', toolCallId: id, ...(reason === '' ? {} : { reason }), ...more }
    case 'resume':
      return { type: 'resume', toolCallId: id, data: value, ...signature }
  }
}
