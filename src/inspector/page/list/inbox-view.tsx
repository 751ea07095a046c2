/** The open questions of all runs, oldest first. */
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { QuestionCard } from '../actions/question-card.tsx'
import { Failed } from '../shared/failed.tsx'
import { plural } from '../shared/format.ts'
import { activeQuestion, inboxQuestions, isSame } from './inbox-state.ts'
import { Outage } from './outage.tsx'
import type { QuestionList } from './question-list.ts'

export function InboxView({ list }: { readonly list: QuestionList }): VNode {
  const questions = list.questions.value
  useEffect(() => {
    inboxQuestions.value = questions
    return () => (inboxQuestions.value = [])
  }, [questions])
  return (
    <section class="inbox" aria-labelledby="inbox-title">
      <div class="runs-bar">
        <h1 id="inbox-title">Inbox</h1>
        <p class="muted">{list.isLoaded.value ? `${plural(questions.length, 'question')} open` : ''}</p>
      </div>
      <Outage failure={list.failure.value} isLoaded={list.isLoaded.value} retry={() => list.retry()} />
      {!list.isLoaded.value ? (
        <NotLoaded list={list} />
      ) : questions.length === 0 ? (
        <div class="empty">
          <h2>Nothing waits for an answer</h2>
          <p>A call that needs approval, or a tool that suspends its run, appears here at once.</p>
        </div>
      ) : (
        <div class="inbox-list" tabIndex={0} role="region" aria-label="Questions">
          <ul>
            {questions.map((question) => (
              <QuestionCard
                key={`${question.runId} ${question.toolCallId}`}
                question={question}
                isActive={isSame(question, activeQuestion.value)}
                hasRun
              />
            ))}
          </ul>
          {list.hasMore.value && <p class="empty">There are more. They follow when these are answered.</p>}
        </div>
      )}
    </section>
  )
}

function NotLoaded({ list }: { readonly list: QuestionList }): VNode {
  const failure = list.failure.value
  return failure === undefined ? (
    <p class="empty">Loading the questions …</p>
  ) : (
    <Failed subject="The questions" error={failure.error} retry={() => list.retry()} />
  )
}
