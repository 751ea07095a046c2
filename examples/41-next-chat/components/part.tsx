/** @jsxImportSource react */
/** One part of a message: a text, a call with its question, a call of the page, or what a subagent does. */
import type { DynamicToolUIPart, ToolUIPart, UIDataTypes, UIMessagePart, UITools } from 'ai'
import { useEffect } from 'react'
import { visibleJson } from 'troupe/view'
import { coloursOf } from './theme.ts'

type Answer = (answer: { readonly id: string; readonly approved: boolean }) => unknown

type Output = (output: {
  readonly tool: string
  readonly toolCallId: string
  readonly output: { readonly theme: string }
}) => unknown

interface PartProps {
  readonly part: UIMessagePart<UIDataTypes, UITools>
  readonly onAnswer: Answer
  readonly onOutput: Output
}

export function Part({ part, onAnswer, onOutput }: PartProps) {
  switch (part.type) {
    case 'text':
      return <p>{part.text}</p>
    case 'dynamic-tool':
      return <Call part={part} onAnswer={onAnswer} />
    case 'tool-theme':
      return <Theme part={part} onOutput={onOutput} />
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

/** Performs a call of the page when it is there: as it is made, and also after the page was loaded again. */
function Theme({ part, onOutput }: { readonly part: ToolUIPart; readonly onOutput: Output }) {
  const { toolCallId, state } = part
  const to = coloursOf(part.input)
  useEffect(() => {
    if (to === undefined || state === 'input-streaming') return
    document.documentElement.style.colorScheme = to
    if (state === 'input-available') onOutput({ tool: 'theme', toolCallId, output: { theme: to } })
  }, [toolCallId, to, state, onOutput])
  return <p className="call">theme: {state}</p>
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
