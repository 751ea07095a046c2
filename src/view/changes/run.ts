/** What an event changes of the run itself: its status, its answer, its open questions, its tasks in the background. */
import type { AwaitedSignal, RunEvent, Usage } from '../../index.ts'
import { addUsage, agentPath } from '../../kit/index.ts'
import type { QuestionView } from '../contract/parts.ts'
import type { RunView } from '../contract/run-view.ts'
import { errorPart } from './agent.ts'
import { withLastEnded } from './delegations.ts'
import { callIn } from './place.ts'

/** `view`: with the agents after the event. */
export function withRunAfter(view: RunView, event: RunEvent): RunView {
  switch (event.type) {
    case 'run-start': {
      const { task, threadId } = event.payload
      return { ...view, task, ...(threadId === undefined ? {} : { threadId }) }
    }
    case 'text-start':
    case 'text-delta':
    case 'text-end':
      return event.delegationId === undefined ? withText(view, event.path) : view
    case 'step-finish':
    case 'compaction-end':
      return withUsage(view, event.payload.usage)
    case 'tool-call-approval':
    case 'tool-call-suspended':
      return withQuestion(view, event.payload.toolCallId)
    case 'tool-call-answered':
    case 'tool-result':
    case 'tool-error':
      return withoutQuestion(view, event.payload.toolCallId)
    case 'delegation-start':
    case 'delegation-end':
    case 'delegation-rejected':
      return withoutQuestion(view, event.path)
    case 'background-start':
      return { ...view, background: [...view.background, event.payload] }
    case 'background-end': {
      const { taskId } = event.payload
      return { ...view, background: view.background.filter((task) => task.taskId !== taskId) }
    }
    case 'budget-warning':
      return { ...view, warnings: [...view.warnings, event.payload] }
    case 'error':
      return { ...view, errors: view.errors.with(errorPart(event, view.errors.length)) }
    case 'suspended':
      return { ...view, status: 'suspended', questions: awaited(view, event.payload.awaiting, event.at) }
    case 'resumed':
      return { ...view, status: 'running' }
    case 'run-finish':
      return settled(view, event)
    default:
      return view
  }
}

/** The text of the agent that holds the conversation. */
function withText(view: RunView, path: string): RunView {
  const text = view.agents.get(agentPath(path))?.text ?? view.text
  return text === view.text ? view : { ...view, text }
}

function withUsage(view: RunView, usage: Usage): RunView {
  return { ...view, usage: addUsage(view.usage, usage) }
}

function withQuestion(view: RunView, toolCallId: string): RunView {
  const question = callIn(view, toolCallId)?.question
  if (question === undefined) return view
  return { ...view, questions: [...others(view, toolCallId), question] }
}

function withoutQuestion(view: RunView, toolCallId: string): RunView {
  const questions = others(view, toolCallId)
  return questions.length === view.questions.length ? view : { ...view, questions }
}

function others({ questions }: RunView, toolCallId: string): readonly QuestionView[] {
  return questions.filter((question) => question.toolCallId !== toolCallId)
}

/** The run tells what it waits for: a question that the view has stays the same object. */
function awaited(view: RunView, awaiting: readonly AwaitedSignal[], since: number): readonly QuestionView[] {
  const known = new Map(view.questions.map((question) => [question.toolCallId, question]))
  return awaiting.map((asked) => {
    const question = known.get(asked.toolCallId)
    return question?.type === asked.type ? question : { ...asked, path: agentPath(asked.toolCallId), since }
  })
}

function settled(view: RunView, { payload, at }: Extract<RunEvent, { type: 'run-finish' }>): RunView {
  const { handoffs: _handoffs, ...end } = payload
  return {
    ...view,
    ...end,
    status: 'settled',
    agents: withLastEnded(view.agents, at),
    questions: [],
    background: [],
  }
}
