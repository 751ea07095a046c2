/** The rules of axe on a page. */
import axe from 'axe-core'
import type { OpenedPage } from './opened-page.ts'

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** What axe finds wrong with the page as it is, one line for each element. `rules`: these alone. */
export async function violationsIn(
  { page }: OpenedPage,
  rules?: readonly string[],
): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(`${axe.source}\nundefined`)
  const runOnly = rules === undefined ? {} : { runOnly: rules }
  const options = JSON.stringify({ resultTypes: ['violations'], ...runOnly })
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  )
}
