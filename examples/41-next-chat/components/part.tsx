/** @jsxImportSource react */
/** One part of a message: a text, a call with its question, or what a subagent does. */
import type { DynamicToolUIPart, UIDataTypes, UIMessagePart, UITools } from 'ai'
import { visibleJson } from 'troupe/view'

type Answer = (answer: { readonly id: string; readonly approved: boolean }) => unknown

interface PartProps {
  readonly part: UIMessagePart<UIDataTypes, UITools>
  readonly onAnswer: Answer
}

export function Part({ part, onAnswer }: PartProps) {
  switch (part.type) {
    case 'text':
      return <p>{part.text}</p>
    case 'dynamic-tool':
      return <Call part={part} onAnswer={onAnswer} />
    case 'data-delegation-start':
    case 'data-delegation-end':
      return <Subagent data={part.data as SubagentData} />
    default:
      return null
  }
}

/** At the start it has a prompt, at the end a text. */
interface SubagentData {
  readonly agentName: string
  readonly prompt?: string
  readonly text?: string
}

function Subagent({ data: { agentName, prompt, text } }: { readonly data: SubagentData }) {
  return (
    <p className="note">
      {text === undefined ? `asks ${agentName}: ${prompt}` : `${agentName} answers: ${text}`}
    </p>
  )
}

function Call({ part, onAnswer }: { readonly part: DynamicToolUIPart; readonly onAnswer: Answer }) {
  const { toolName, input, state } = part
  if (state !== 'approval-requested') {
    return (
      <p className="call">
        {toolName}: {state}
      </p>
    )
  }
  const { id } = part.approval
  return (
    <p>
      May it {toolName} <code>{visibleJson(input)}</code>?{' '}
      <button onClick={() => onAnswer({ id, approved: true })}>Approve</button>{' '}
      <button onClick={() => onAnswer({ id, approved: false })}>Deny</button>
    </p>
  )
}
