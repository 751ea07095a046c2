/** The questions of a run that are open now. */
import type { VNode } from 'preact'
import { QuestionCard } from '../actions/question-card.tsx'
import type { RunSession } from '../connection/run-session.ts'
import { plural } from '../shared/format.ts'

export function Questions({ session }: { readonly session: RunSession }): VNode | null {
  const awaiting = session.run.value?.awaiting ?? []
  const path = session.model.value.path.value
  return awaiting.length === 0 ? null : (
    <section class="run-questions" aria-label="Open questions" tabIndex={0}>
      <h2>{plural(awaiting.length, 'question')} for you</h2>
      <ul>
        {awaiting.map((question) => (
          <QuestionCard
            key={question.toolCallId}
            question={question}
            isActive={question.toolCallId === path}
          />
        ))}
      </ul>
    </section>
  )
}
