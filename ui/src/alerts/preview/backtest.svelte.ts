/** The preview of the alert being edited: requested after a pause in typing, which cancels the previous request. */
import { previewAlert, type Preview, type PreviewRequest } from '../../api/alerts'
import { search, type Answer } from '../../api/search'
import { joinFilters } from '../../explore/filters/filters'
import { hasNumbers } from '../../explore/table/cells'
import { Loader } from '../../shell/loader.svelte'
import { seeksLargest } from './firings'

const PAUSE_MS = 400
/** Number of rows examined to find numeric columns. */
const SAMPLE_ROWS = 100

export class Backtest {
  preview = new Loader<Preview>()
  /** Whether a newer answer is being loaded. */
  isStale = $state(false)
  /** The answer over the whole range, which shows what columns there are. */
  private sample = new Loader<Answer>()
  private asked = ''
  private sampled = ''
  private timer: ReturnType<typeof setTimeout> | undefined

  /** Numeric columns; null if events are counted, or while it is not known yet. */
  columns = $derived.by(() => {
    const answer = this.sample.value
    return answer?.type === 'table' ? answer.columns.filter((each) => hasNumbers(answer.rows, each)) : null
  })

  /** Request a preview soon, unless the present or pending one is sufficient. */
  follow(request: PreviewRequest): void {
    const wanted = JSON.stringify({ ...request, operator: seeksLargest(request.operator), threshold: null })
    if (wanted === this.asked) return
    this.asked = wanted
    this.isStale = true
    clearTimeout(this.timer)
    this.preview.cancel()
    this.timer = setTimeout(() => void this.ask(request, wanted), PAUSE_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.preview.cancel()
    this.sample.cancel()
  }

  private async ask(request: PreviewRequest, wanted: string): Promise<void> {
    this.look(request)
    await this.preview.load((signal) => previewAlert(request, signal))
    if (wanted === this.asked) this.isStale = false
  }

  /** Find out which columns there are, unless that is known. */
  private look({ query, filters, env, index, from, to }: PreviewRequest): void {
    const filter = joinFilters(filters.map((text) => ({ text, isEnabled: true })))
    const scope = { query, filter, env, index, from, to, timezone: 'UTC' }
    const wanted = JSON.stringify(scope)
    if (wanted === this.sampled) return
    this.sampled = wanted
    void this.sample.load((signal) => search(scope, { limit: SAMPLE_ROWS }, signal))
  }
}
