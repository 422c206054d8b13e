/* The part of Python's stable interface that the C code cffi generates uses (Py_LIMITED_API, any 3.x).

   The build needs no Python header: the functions below have had these signatures since Python 3.2, and the
   stable interface promises that they keep them. */
#ifndef WEFT_ABI3_PYTHON_H
#define WEFT_ABI3_PYTHON_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define HAVE_WCHAR_H 1

typedef struct _object PyObject;
typedef struct _typeobject PyTypeObject;
typedef struct _ts PyThreadState;
typedef ptrdiff_t Py_ssize_t;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef struct PyMethodDef {
    const char *ml_name;
    PyCFunction ml_meth;
    int ml_flags;
    const char *ml_doc;
} PyMethodDef;

#define METH_VARARGS 0x0001
#define METH_NOARGS 0x0004
#define METH_O 0x0008
#define PyMODINIT_FUNC __attribute__((visibility("default"))) PyObject *

void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
#define Py_INCREF(object) Py_IncRef((PyObject *)(object))
#define Py_DECREF(object) Py_DecRef((PyObject *)(object))
#define Py_XINCREF(object) Py_IncRef((PyObject *)(object))
#define Py_XDECREF(object) Py_DecRef((PyObject *)(object))

extern PyObject _Py_NoneStruct;
#define Py_None (&_Py_NoneStruct)

PyThreadState *PyEval_SaveThread(void);
void PyEval_RestoreThread(PyThreadState *state);
#define Py_BEGIN_ALLOW_THREADS { PyThreadState *_save = PyEval_SaveThread();
#define Py_END_ALLOW_THREADS PyEval_RestoreThread(_save); }

PyObject *PyBool_FromLong(long value);
PyObject *PyFloat_FromDouble(double value);
double PyFloat_AsDouble(PyObject *object);
PyObject *PyLong_FromLong(long value);
PyObject *PyLong_FromUnsignedLong(unsigned long value);
PyObject *PyLong_FromLongLong(long long value);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long value);
PyObject *PyLong_FromVoidPtr(void *value);
long PyLong_AsLong(PyObject *object);
PyObject *PyErr_Occurred(void);
void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback);
void PyErr_NormalizeException(PyObject **type, PyObject **value, PyObject **traceback);
void PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback);
int PyErr_CheckSignals(void);
int PyGILState_Check(void); /* not in the stable interface, but exported by all versions */
PyThreadState *PyGILState_GetThisThreadState(void);
/* Not in the stable interface either: the state of the thread that has the GIL, or NULL. The first one is there from Python
   3.13 on, the second one before. */
PyThreadState *PyThreadState_GetUnchecked(void) __attribute__((weak));
PyThreadState *_PyThreadState_UncheckedGet(void) __attribute__((weak));
int PyErr_SetInterruptEx(int signal);
int PyGILState_Ensure(void);
void PyGILState_Release(int state);
int PyThreadState_SetAsyncExc(unsigned long thread, PyObject *exception);
void Py_FatalError(const char *message) __attribute__((noreturn));
void *PyObject_Malloc(size_t size);
void PyObject_Free(void *memory);
int PyArg_UnpackTuple(PyObject *arguments, const char *name, Py_ssize_t least, Py_ssize_t most, ...);
PyObject *PyImport_ImportModule(const char *name);
PyObject *PyObject_CallObject(PyObject *function, PyObject *arguments);
PyObject *PyObject_CallMethod(PyObject *object, const char *name, const char *format, ...);

#endif
