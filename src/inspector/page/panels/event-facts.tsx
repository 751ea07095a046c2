/** What an event has decided: the choice among its candidates with the reason, or the scores. */
import type { VNode } from 'preact'
import type { RowChoice, RowEvent, RowScore } from '../../wire/rows.ts'

type Facts = Pick<RowEvent, 'choices' | 'scores'>

export function EventFacts({ event: { choices = [], scores = [] } }: { readonly event: Facts }): VNode {
  return (
    <>
      {choices.map((choice, index) => (
        <Choice key={index} choice={choice} />
      ))}
      {scores.length > 0 && <Scores scores={scores} />}
    </>
  )
}

function Choice({ choice: { choice, candidates, reason } }: { readonly choice: RowChoice }): VNode {
  return (
    <dl class="facts">
      <div>
        <dt>choice</dt>
        <dd class="said">{choice}</dd>
      </div>
      <div>
        <dt>candidates</dt>
        <dd class="said">{candidates.join(', ')}</dd>
      </div>
      <div>
        <dt>reason</dt>
        <dd class="said" dir="auto">
          {reason}
        </dd>
      </div>
    </dl>
  )
}

function Scores({ scores }: { readonly scores: readonly RowScore[] }): VNode {
  return (
    <dl class="facts">
      {scores.map(({ id, score, passed, reason }) => (
        <div key={id}>
          <dt class="said">{id}</dt>
          <dd class={passed ? undefined : 'fault'}>
            {score === undefined ? 'no score' : score.toFixed(2)}, {passed ? 'passed' : 'not passed'}
            {reason !== undefined && (
              <span class="said" dir="auto">
                {`: ${reason}`}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
