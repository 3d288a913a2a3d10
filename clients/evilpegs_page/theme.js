// Applies the theme that the visitor chose before anything is painted. It is a classic script for that reason.
// Without a choice, the style sheet follows the system.
(() => {
  try {
    const theme = localStorage.getItem("evilpegs.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system decides.
  }
})();
