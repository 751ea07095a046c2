/** The keys of the lists. */
import { askAnswer } from '../actions/open-dialog.ts'
import { activeQuestion, inboxQuestions, isSame } from '../list/inbox-state.ts'
import { announce } from '../shared/announcer.tsx'
import { goTo, runsPlace } from '../shared/router.ts'
import type { KeyGroup } from './bindings.ts'

export function placeKeys(): KeyGroup {
  return {
    title: 'Views',
    bindings: [
      { keys: ['r'], label: 'runs', run: () => goTo(runsPlace.peek()) },
      { keys: ['i'], label: 'inbox', run: () => goTo({ view: 'inbox' }) },
      { keys: ['h'], label: 'health', run: () => goTo({ view: 'health' }) },
    ],
  }
}

/** The arrow keys of the list itself do the rest. */
export function runsKeys(): KeyGroup {
  return {
    title: 'Runs',
    bindings: [
      { keys: ['j'], label: 'the next run', run: () => sendToList('ArrowDown') },
      { keys: ['k'], label: 'the run before', run: () => sendToList('ArrowUp') },
      { keys: ['Enter'], label: 'open the run', run: () => sendToList('Enter') },
    ],
  }
}

function sendToList(key: string): void {
  const list = document.querySelector<HTMLElement>('.window-list')
  list?.focus()
  list?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: false }))
}

export function inboxKeys(): KeyGroup {
  return {
    title: 'Inbox',
    bindings: [
      { keys: ['j'], label: 'the next question', run: () => step(1) },
      { keys: ['k'], label: 'the question before', run: () => step(-1) },
      { keys: ['a'], label: 'approve or answer', run: () => answer('approve') },
      { keys: ['d'], label: 'deny', run: () => answer('deny') },
      { keys: ['Enter'], label: 'open the run', run: openRun },
    ],
  }
}

function step(by: 1 | -1): void {
  const questions = inboxQuestions.peek()
  const present = questions.findIndex((question) => isSame(question, activeQuestion.peek()))
  const next = questions[Math.min(questions.length - 1, Math.max(0, present + by))]
  activeQuestion.value = next
  announce(next === undefined ? 'No question is open.' : `${next.toolName}, asked by ${next.agent}`)
}

function chosen() {
  const active = activeQuestion.peek()
  const questions = inboxQuestions.peek()
  return questions.find((question) => isSame(question, active)) ?? questions[0]
}

function answer(decision: 'approve' | 'deny'): void {
  const question = chosen()
  if (question === undefined) announce('No question is open.')
  else askAnswer(question, decision)
}

function openRun(): void {
  const question = chosen()
  if (question !== undefined) {
    goTo({ view: 'run', runId: question.runId, path: question.path, tab: 'entry' })
  }
}
