/** Things that are done over and over while somebody looks. */

/** Act soon, then again so long after each end, while the page is shown; the answer ends that. */
export function repeatWhileVisible(action: () => Promise<unknown>, pauseMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false
  let isActing = false

  async function act() {
    clearTimeout(timer)
    if (isActing || isEnded || document.hidden) return
    isActing = true
    try {
      await action()
    } finally {
      isActing = false
      if (!isEnded) timer = setTimeout(() => void act(), pauseMs)
    }
  }

  const listener = () => void act()
  document.addEventListener('visibilitychange', listener)
  // Not at once: what the action reads is nothing that an effect which calls this depends on.
  timer = setTimeout(listener)
  return () => {
    isEnded = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', listener)
  }
}
