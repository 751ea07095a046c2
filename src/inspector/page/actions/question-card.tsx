/** An open question with its answers. */
import type { OpenQuestion } from '../../../index.ts'
import { asksAboutPlan } from '../../../kit/index.ts'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../shared/button.tsx'
import { sinceText } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Link } from '../shared/link.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { Status } from '../shared/status.tsx'
import { useNow } from '../shared/use-now.ts'
import { Said } from '../shared/words.tsx'
import { askAnswer } from './open-dialog.ts'

interface QuestionCardProps {
  readonly question: OpenQuestion
  readonly isActive: boolean
  /** Names the run too. */
  readonly hasRun?: boolean
}

const titles: Readonly<Record<OpenQuestion['type'], string>> = {
  approval: 'needs approval',
  suspension: 'waits for data',
  interruption: 'was interrupted',
}

export function QuestionCard({ question, isActive, hasRun = false }: QuestionCardProps): VNode {
  const { service } = usePage()
  const refusal = refusalOf(service, 'signal')
  const { runId, agent, toolName, type, since, path, leftAt, isClient = false } = question
  const now = useNow(true)
  const isPlan = asksAboutPlan(question.toolCallId)
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <li ref={element} class="question" aria-current={isActive ? 'true' : undefined}>
      <div class="question-head">
        <b class="said">
          <Said text={toolName} />
        </b>
        <span>{isClient ? 'waits for the page that has this tool' : titles[type]}</span>
        {leftAt !== undefined && <Status status="left" />}
        <span class="muted">
          <span class="said">
            <Said text={agent} />
          </span>{' '}
          · {sinceText(since, now)}
        </span>
        {hasRun && (
          <Link to={{ view: 'run', runId, path, tab: 'entry' }} class="mono">
            {runId}
          </Link>
        )}
      </div>
      <Json name={isPlan ? 'plan' : 'arguments'} value={question.args} open={isPlan ? 3 : 1} />
      {question.payload !== undefined && <Json name="asked" value={question.payload} open={1} />}
      <div class="question-actions">
        {type === 'approval' ? (
          <>
            <Button look="main" refusal={refusal} shortcut="a" onClick={() => askAnswer(question)}>
              Approve …
            </Button>
            <Button refusal={refusal} shortcut="d" onClick={() => askAnswer(question, 'deny')}>
              Deny …
            </Button>
          </>
        ) : (
          <Button look="main" refusal={refusal} shortcut="a" onClick={() => askAnswer(question)}>
            Answer …
          </Button>
        )}
      </div>
    </li>
  )
}
