/** Builds the page of the inspector where it is missing, or older than its sources. */
import { ensurePage } from './build-page.ts'

await ensurePage()
