/** How the runs are, in numbers, as they change. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Numbers } from '../../wire/routes.ts'
import { messageOf } from '../connection/failure.ts'
import { repeat } from '../connection/repeat.ts'
import { usePage } from '../shared/page-context.ts'

const nothing: Numbers = { state: '', problems: [], groups: [] }

export function HealthView(): VNode {
  const { api } = usePage()
  const [{ state, problems, groups }, set] = useState(nothing)
  useEffect(() => {
    const repeated = repeat(
      2_000,
      async () => set(await api.health()),
      (error) => set({ ...nothing, state: messageOf(error) }),
    )
    return () => repeated.stop()
  }, [api])
  return (
    <section class="inbox-list health" tabIndex={0} aria-label="Health">
      <div role="status">
        {state}
        {problems.map((text) => (
          <p key={text} class="notice bad">
            {text}
          </p>
        ))}
      </div>
      {groups.map(({ title, rows }) => (
        <section key={title} class="question">
          <h1>{title}</h1>
          <dl>
            {rows.map(([name, text]) => (
              <div key={name} class="question-head">
                <dt>{name}</dt>
                <dd class="muted">{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </section>
  )
}
