"""Calls on arrays that MXNet and Forebay both make: expressions over `nd`, `np` and a few arrays."""

from __future__ import annotations

from typing import Any

# x: 2 x 3 x 4, v: a vector, y: floats, i: int32, u: uint8, h: float16, d: float64, n: with NaN.


def arrays(nd: Any, np: Any) -> dict[str, Any]:
    return {
        "nd": nd,
        "np": np,
        "x": nd.arange(24).reshape((2, 3, 4)),
        "v": nd.arange(6),
        "y": nd.array([[1.5, -2.5, 0.5], [2.5, -0.5, 0]]),
        "i": nd.array([[1, -2, 3], [4, 5, -6]], dtype="int32"),
        "u": nd.array([[1, 2, 3]], dtype="uint8"),
        "h": nd.array([[1.5, -2.5, 3]], dtype="float16"),
        "d": nd.array([[1.5, -2.5]], dtype="float64"),
        "n": nd.array([1.0, float("nan"), 3.0]),
    }


READS = """
x[1]
x[1,2,3]
x[1,2]
v[2]
x[0:1,1]
x[::-1]
x[None]
x[None,1]
x[...,1]
x[...,None]
x[1,...,None,::2]
x[()]
x[5]
x[0,5]
x[0,0,0,0]
x[[0,1]]
x[[0,1],[1,2]]
x[[0,1],1:3]
x[[0,1],:,[1,2]]
x[:,[0,2]]
x[:,[0,2],None]
x[:,[[0,2],[1,1]]]
x[nd.array([1,0])]
x[np.array([1,0])]
x[np.array([True,False])]
x[nd.array([1,0],dtype='bool')]
x[x>5]
x[nd.array([0,1],dtype='int64'),nd.array([1,1])]
x[[5]]
x[[-1]]
x[np.array([-1])]
x[nd.array([-1])]
x[True]
x[[True,False]]
x[(1,2)]
x[1.5]
x['a']
x[slice(0,10)]
x[3:1]
x[1:1]
x[0,1,None,None]
x[np.int64(1)]
x[:,1:3,::-2]
x[:,-1]
x[nd.array([0.7,1.2])]
x[(slice(None),nd.array([0,2]),slice(0,2))]
v[-1]
v[::2]
v[4:1:-1]
v[[True,False,True,False,True,False]]
x[...,[0,1],[0,1]]
x[[0],...,[0,1]]
x[:,None,[0,1]]
x[0:2,[0,1],[0,1]]
x[None,[0,1],[0,1]]
x[range(2)]
x[[]]
x[(0,1),]
"""

WRITES = """
x[1]=7
x[:]=3
x[0,1,2]=9
x[:,1]=nd.array([1,2,3,4])
x[:,1]=np.array([1,2,3,4])
x[:,1]=[1,2,3,4]
x[:,::2]=nd.ones((2,2,1))
x[...]=2
x[[0,1],[1,2]]=5
x[[0,1],[1,2]]=nd.array([1,2,3,4])
x[nd.array([1])]=3
x[:,[0,2]]=nd.ones((4,))
x[x>5]=0
v[nd.array([1,0,1,0,0,0])==1]=0
v[::-1]=nd.arange(6)
v[1:3]=nd.arange(3)
v[2]=[5]
v[7]=1
x[None,0]=1
x[:]=nd.ones((3,4))
x[:]=nd.ones((1,2,3,4))
v[[0,0]]=nd.array([1,2])
v[np.array([True]*3+[False]*3)]=9
x[0]=nd.array([[1,2,3,4]],dtype='int32')
x[1:1]=3
v[:]=np.arange(6.)
v[:]=True
v[1]=nd.array([3])
v[1:2]=nd.array([[3]])
"""

SHAPES = """
nd.transpose(x)
nd.transpose(x,axes=(1,0,2))
nd.transpose(x,axes=(-1,0,1))
nd.transpose(x,axes=(0,1))
nd.swapaxes(x,0,2)
nd.SwapAxis(x,dim1=0,dim2=1)
nd.reshape(x,shape=(-1,0),reverse=True)
nd.reshape(x,(4,-1))
nd.reshape_like(x,nd.zeros((6,4)))
nd.reshape_like(nd.zeros((30,7)),nd.zeros((15,2,4)),lhs_begin=0,lhs_end=1,rhs_begin=0,rhs_end=2)
nd.expand_dims(x,axis=1)
nd.expand_dims(x,-1)
nd.expand_dims(x,axis=5)
nd.squeeze(nd.zeros((1,2,1)))
nd.squeeze(nd.zeros((1,2,1)),axis=0)
nd.squeeze(nd.zeros((1,1)))
nd.squeeze(nd.zeros((1,2,1)),axis=1)
nd.flatten(x)
nd.flatten(v)
nd.flip(x,axis=1)
nd.flip(x,axis=(0,1))
nd.reverse(x,axis=2)
nd.concat(x,x,dim=1)
nd.concat(x,x,dim=-1)
nd.concat(x,x)
nd.concat(i,x)
nd.concat(i,i,dim=0)
nd.concatenate([x,x],axis=0)
nd.stack(x,x,axis=1)
nd.stack(x,x,axis=-1)
nd.stack(v,v)
nd.split(x,num_outputs=2,axis=2)
nd.split(x,3,axis=1,squeeze_axis=True)
nd.split(x,num_outputs=1,axis=1)
nd.split(x,num_outputs=5,axis=1)
nd.split_v2(x,(1,),axis=1)
nd.split_v2(x,2,axis=2)
nd.SliceChannel(x,num_outputs=3)
nd.slice(x,begin=(0,1),end=(1,3))
nd.slice(x,begin=(None,2),end=(None,0),step=(None,-1))
nd.slice(x,begin=(0,),end=(9,))
nd.slice_axis(x,axis=1,begin=1,end=None)
nd.slice_axis(x,axis=-1,begin=-3,end=-1)
nd.slice_axis(x,axis=1,begin=2,end=9)
nd.slice_like(x,nd.zeros((1,2,2)))
nd.slice_like(x,nd.zeros((1,2)),axes=(0,1))
nd.slice_like(x,nd.zeros((1,2)),axes=(-1,))
nd.tile(v,reps=(2,2))
nd.tile(x,reps=(2,))
nd.tile(x,reps=2)
nd.repeat(x,repeats=2)
nd.repeat(x,repeats=2,axis=1)
nd.repeat(x,2,-1)
nd.pad(x,mode='constant',pad_width=(0,0,0,0,1,1))
nd.pad(x.expand_dims(0),mode='constant',constant_value=2,pad_width=(0,0,0,0,1,1,1,2))
nd.pad(x.expand_dims(0),mode='edge',pad_width=(0,0,0,0,1,1,1,2))
nd.pad(x.expand_dims(0),mode='reflect',pad_width=(0,0,0,0,1,1,1,2))
nd.pad(x.expand_dims(0),mode='edge',pad_width=(1,0,0,0,1,1,1,2))
nd.broadcast_axis(nd.ones((1,2,1)),axis=0,size=2)
nd.broadcast_axes(nd.ones((1,2,1)),axis=(0,2),size=(2,3))
nd.broadcast_to(nd.ones((1,2,1)),shape=(2,2,3))
nd.broadcast_to(nd.ones((1,2,1)),shape=(2,0,3))
nd.broadcast_like(nd.ones((1,2,1)),nd.ones((2,2,3)))
nd.broadcast_like(nd.ones((1,2)),nd.ones((5,9)),lhs_axes=(0,),rhs_axes=(1,))
nd.diag(v)
nd.diag(v,k=1)
nd.diag(x[0])
nd.diag(x[0],k=-1)
nd.diag(x)
nd.diag(x,axis1=0,axis2=2)
nd.depth_to_space(nd.arange(16).reshape((1,4,2,2)),2)
nd.space_to_depth(nd.arange(16).reshape((1,1,4,4)),2)
nd.shape_array(x)
nd.size_array(x)
nd.eye(3)
nd.eye(2,3,k=1,dtype='int32')
nd.eye(3,0,-1)
nd.linspace(0,1,5)
nd.linspace(0,1,5,endpoint=False)
nd.linspace(0,1,1)
nd.linspace(0,10,5,dtype='int32')
nd.take(x,nd.array([0,5]))
nd.take(x,nd.array([0,-1]))
nd.take(x,nd.array([0,-1]),mode='wrap')
nd.take(x,nd.array([[0,2],[1,1]]),axis=1)
nd.take(x,nd.array([0,3]),axis=-1)
nd.take(x,nd.array([0,9]),mode='raise')
nd.take(i,nd.array([0,1],dtype='int64'))
nd.batch_take(y,nd.array([0,2],dtype='int32'))
nd.pick(y,nd.array([0,2]))
nd.pick(y,nd.array([0,2]),axis=1,keepdims=True)
nd.pick(y,nd.array([0,9,1]),axis=0)
nd.pick(y,nd.array([0,-1,3]),axis=0,mode='wrap')
nd.pick(y,nd.array([[0],[2]]),axis=1,keepdims=True)
nd.pick(y,nd.array([[0],[2]]),axis=1)
nd.gather_nd(x,nd.array([[0,1],[1,2]]))
nd.gather_nd(x,nd.array([[0,1],[1,2],[3,3]]))
nd.gather_nd(x,nd.array([[-1,1]]))
nd.gather_nd(x,nd.array([[[0],[1]]]))
nd.scatter_nd(nd.array([2,3,0]),nd.array([[1,1,0],[0,1,0]]),shape=(2,2))
nd.scatter_nd(nd.array([[2,3],[4,5]]),nd.array([[1,0]]),shape=(3,2))
nd.scatter_nd(nd.array([2,3]),nd.array([[0,0]]),shape=(3,))
nd.one_hot(nd.array([1,0,2,7,-1]),3)
nd.one_hot(nd.array([[1,0]]),depth=3,on_value=8,off_value=1,dtype='int32')
nd.where(nd.array([[1,0,1],[0,1,0]]),y,-y)
nd.where(nd.array([1,0]),y,-y)
nd.where(i>0,y,-y)
nd.where(nd.array([1,0]),y,i)
nd.contrib.boolean_mask(y,nd.array([0,1]))
nd.contrib.boolean_mask(y,nd.array([0,0]))
nd.contrib.index_copy(nd.zeros((3,2)),nd.array([0,2],dtype='int64'),nd.ones((2,2)))
nd.contrib.index_array(nd.ones((2,2)))
nd.contrib.arange_like(x)
nd.contrib.arange_like(x,axis=1)
nd.moveaxis(x,0,2)
nd.identity(x)
nd.cumsum(y)
nd.cumsum(y,axis=0)
nd.cumsum(i,axis=1)
nd.cumsum(u)
nd.cumsum(y,axis=1,dtype='float64')
nd.zeros_like(i)
nd.full((2,),3,dtype='int32')
nd.arange(3,dtype='int32')
"""

FUNCTIONS = """
nd.relu(i)
nd.relu(u)
nd.sigmoid(i)
nd.sigmoid(h)
nd.exp(i)
nd.exp(u)
nd.softsign(y)
nd.softsign(i)
nd.hard_sigmoid(y)
nd.hard_sigmoid(y,alpha=0.5,beta=0.1)
nd.erf(y)
nd.erfinv(y*0.3)
nd.erfinv(y)
nd.gamma(y)
nd.gammaln(y)
nd.square(i)
nd.square(u)
nd.sign(i)
nd.sign(u)
nd.sign(y)
nd.round(y)
nd.rint(y)
nd.trunc(y)
nd.fix(y)
nd.floor(i)
nd.round(i)
nd.reciprocal(y)
nd.reciprocal(i)
nd.log1p(y)
nd.expm1(y)
nd.degrees(y)
nd.radians(y)
nd.logical_not(y)
nd.logical_not(i)
nd.logical_and(y,y)
nd.logical_and(y,1)
nd.logical_or(y,nd.zeros((1,3)))
nd.logical_xor(y,2)
nd.broadcast_logical_and(y,nd.zeros((1,3)))
nd.logical_and(i,i)
nd.modulo(y,nd.array([[2,-2,0]]))
nd.modulo(i,nd.array([[2,-2,0]],dtype='int32'))
y%2
y%-2
i%2
i%-4
7%y
-7%i
y%0
i%0
u%0
i/2
i*1.5
i+1.5
i>1.5
u-3
3-u
i**2
i**-1
2**i
i==1
(i==1)
-u
abs(i)
nd.abs(u)
nd.clip(y,-1,1)
nd.clip(i,-1,1)
nd.clip(i,-1.5,1.5)
nd.maximum(y,0)
nd.maximum(0,y)
nd.minimum(i,2.5)
nd.maximum(i,y)
nd.smooth_l1(y,scalar=1)
nd.smooth_l1(y,scalar=2.0)
nd.smooth_l1(i,scalar=2.0)
nd.add_n(y,y,y)
nd.ElementWiseSum(y,y)
nd.add_n(i,i)
nd.BlockGrad(y)
nd.stop_gradient(y)
nd.make_loss(y)
nd.MakeLoss(y)
nd.identity(y)
nd.cast(y,dtype='int32')
nd.cast(nd.array([300,-1,1.9]),dtype='int8')
y.astype('bool')
nd.rcbrt(y)
nd.logical_not(h)
nd.sum(y,axis=())
nd.sum(y,axis=(0,1))
nd.sum(y)
nd.sum(i)
nd.sum(u)
nd.mean(i)
nd.mean(u)
nd.sum(h)
nd.max(i,axis=0)
nd.prod(i)
nd.sum(y,axis=(0,1),keepdims=True)
nd.sum(y,axis=5)
nd.sum(y,axis=(0,),exclude=True)
nd.sum(y,axis=(0,0))
nd.mean(y,axis=())
nd.max(y,axis=())
nd.norm(y)
nd.norm(y,ord=1,axis=0)
nd.norm(y,axis=(0,1))
nd.argmax(y)
nd.argmax(y,axis=1)
nd.argmax(i,axis=1)
nd.argmax(d,axis=1)
nd.argmax(h,axis=1)
nd.argmax(u,axis=1)
nd.argmin(y,axis=0,keepdims=True)
nd.argmax(nd.one_hot(nd.array([127]),128,dtype='int8'),axis=1)
nd.argmax(nd.one_hot(nd.array([298]),300,dtype='int8'),axis=1)
nd.argmax(nd.one_hot(nd.array([2998]),3000,dtype='float16'),axis=1)
nd.argmin(-nd.one_hot(nd.array([298]),300,dtype='uint8'),axis=1)
nd.argmax(nd.one_hot(nd.array([69997]),70000),axis=1)
nd.argmax_channel(y)
nd.argmax_channel(x)
nd.nansum(n)
nd.nanprod(n)
nd.nansum(n,axis=0)
nd.L2Normalization(y)
nd.L2Normalization(y,mode='channel')
nd.L2Normalization(x,mode='channel')
nd.L2Normalization(x,mode='spatial')
nd.L2Normalization(x)
nd.sort(y)
nd.sort(y,axis=0,is_ascend=False)
nd.sort(y,axis=None)
nd.sort(i)
nd.sort(h)
nd.sort(u)
nd.argsort(y)
nd.argsort(y,axis=None)
nd.argsort(i,axis=0,is_ascend=False,dtype='int32')
nd.topk(y)
nd.topk(y,k=2)
nd.topk(y,k=2,ret_typ='value')
nd.topk(y,k=2,ret_typ='both')
nd.topk(y,k=2,ret_typ='mask')
nd.topk(y,k=0)
nd.topk(y,k=9)
nd.topk(y,axis=0,k=1,is_ascend=True,dtype='int64')
nd.topk(y,axis=None,k=2)
nd.topk(i,k=2,ret_typ='both')
nd.topk(i,k=2,ret_typ='mask')
nd.topk(nd.array([1,1,1,0,1]),k=3)
nd.argsort(nd.array([1,1,1,0,1]))
nd.argsort(nd.array([1,1,1,0,1]),is_ascend=False)
nd.moments(y,axes=(0,))
nd.all_finite(y)
nd.contrib.isnan(n)
nd.contrib.isfinite(n)
nd.contrib.isinf(n)
nd.min(u)
nd.logical_and(i,y)
nd.add(i,y)
i+y
i==y
nd.broadcast_add(i,i)
nd.amp_cast(y,dtype='float16')
nd.sum(y>0)
y>0
(y>0).sum()
nd.ones((2,2),dtype='bool')
nd.choose_element_0index(y,nd.array([0,1]))
"""

NUMBER_TYPES = ("float16", "float32", "float64", "uint8", "int8", "int32", "int64")
FLOAT_TYPES = NUMBER_TYPES[:3]
OF_NUMBERS = """
relu sigmoid exp log sqrt rsqrt cbrt rcbrt square reciprocal abs negative sign round rint trunc fix floor ceil log1p
expm1 log2 log10 sin cos tan arctan sinh cosh tanh arcsinh degrees radians logical_not softsign gammaln erf hard_sigmoid
""".split()
OF_PAIRS = """
a+a a-a a*a a/a a**a a%a a>a a<=a a==a a!=a a+2 2-a a*3 7/a a/2 a%2 7%a a>2 a<2 a==2 a**2 nd.maximum(a,2) nd.minimum(2,a)
nd.maximum(a,a) nd.logical_and(a,a) nd.logical_xor(a,1) nd.sum(a,axis=1) nd.mean(a,axis=0) nd.max(a) nd.argmax(a,axis=1)
nd.argmin(a,axis=0) nd.prod(a,axis=1) nd.argsort(a) nd.topk(a,k=2,ret_typ='both') nd.clip(a,2,3) nd.smooth_l1(a)
nd.add_n(a,a) nd.cumsum(a,axis=1) nd.where(a>2,a,a*2) nd.one_hot(a,4) nd.take(a,a) nd.pick(a,nd.array([1,0]))
nd.transpose(a) nd.tile(a,(2,)) nd.repeat(a,2) nd.concat(a,a) nd.flip(a,axis=1) nd.slice(a,(0,1),(1,2)) nd.zeros_like(a)
nd.ones_like(a) nd.stack(a,a) nd.diag(a) nd.expand_dims(a,1)
""".split()
GRADIENTS = """
nd.relu(a-2) nd.sigmoid(a) nd.exp(a) nd.log(a) nd.sqrt(a) nd.rsqrt(a) nd.cbrt(a) nd.rcbrt(a) nd.square(a) nd.reciprocal(a)
nd.abs(a-2) nd.sign(a) nd.round(a) nd.floor(a) nd.log1p(a) nd.expm1(a) nd.log2(a) nd.sin(a) nd.cos(a) nd.tan(a) nd.tanh(a)
nd.arctan(a) nd.arcsin(a/9) nd.arccosh(a+1) nd.erf(a) nd.erfinv(a/9) nd.gamma(a) nd.gammaln(a) nd.softsign(a)
nd.hard_sigmoid(a/2) nd.smooth_l1(a-2) nd.clip(a,2,3) nd.degrees(a) a%2 7%a a%(a*0+2) nd.maximum(a,2) nd.minimum(a,a)
nd.broadcast_hypot(a,a*2) nd.transpose(a)*w.T nd.flip(a,axis=1)*w nd.slice_axis(a,axis=1,begin=1,end=3)*2
nd.concat(a,a*2,dim=0)*3 nd.stack(a,a)*2 nd.split(a,3,axis=1)[1]*w[:,1:2] nd.tile(a,(2,))*nd.tile(w,(2,))
nd.repeat(a,2,axis=1)*nd.repeat(w,2,axis=1) nd.diag(a) nd.take(a,nd.array([1,1,0]))*2 nd.pick(a,nd.array([1,0]))*3
nd.gather_nd(a,nd.array([[0,1],[2,2]]))*5 nd.where(w>1.3,a,a*2) nd.sort(a,is_ascend=False)*w
nd.topk(a,k=2,ret_typ='value')*7 nd.cumsum(a,axis=1)*w a[:,1]*2 a[1]*3 a[:,::-1]*w a[[1,0]]*w a[nd.array([1,1])]*w
nd.stop_gradient(a)*a nd.stop_gradient(a)*2 (a>2)*a a>2 nd.ceil(a)*a nd.make_loss(a)*9 nd.nansum(a,axis=1)*w[:,0] nd.L2Normalization(a)*w nd.norm(a,axis=1)
nd.broadcast_axis(a.expand_dims(0),axis=0,size=2)*2 nd.pad(a.reshape((1,1,2,3)),'edge',(0,0,0,0,1,1,2,1))*2
nd.pad(a.reshape((1,1,2,3)),'reflect',(0,0,0,0,1,1,2,1))*2 nd.scatter_nd(a[0],nd.array([[2,0,1]]),(3,))*w[0]
nd.add_n(a,a,a)*w nd.cast(a,'float64').astype('float32')*w nd.squeeze(a.expand_dims(0))*w nd.max(a,axis=1)*2
nd.prod(a,axis=1)*w[:,0] nd.prod(a-a.detach()[:,1:2],axis=1) nd.prod(a*(w>1.3)) nd.nanprod(a-a.detach()[0,0])
""".split()

# Where Forebay gives more, or something else on purpose.
DEPARTURES = {
    "MXNet refuses what has a meaning": """
x[3:1] x[[]] nd.transpose(x,axes=(-1,0,1)) nd.pad(x,mode='constant',pad_width=(0,0,0,0,1,1))
nd.pad(x.expand_dims(0),mode='edge',pad_width=(1,0,0,0,1,1,1,2)) nd.sort(h) nd.L2Normalization(y,mode='channel')
""".split(),
    "MXNet refuses what has a meaning, too": ["gradient of nd.sort(a,is_ascend=False)*w", "nd.argsort(a) of float16"]
    + [f"nd.hard_sigmoid(a) of {dtype}" for dtype in ("uint8", "int8", "int32", "int64")],
    "bools are masks": """
x[np.array([True,False])] x[nd.array([1,0],dtype='bool')] x[[True,False]] v[[True,False,True,False,True,False]]
v[np.array([True]*3+[False]*3)]=9
""".split(),
    "an index is what it is where the elements' type does not hold it: int64": """
nd.argmax(nd.one_hot(nd.array([298]),300,dtype='int8'),axis=1)
nd.argmax(nd.one_hot(nd.array([2998]),3000,dtype='float16'),axis=1)
nd.argmin(-nd.one_hot(nd.array([298]),300,dtype='uint8'),axis=1)
""".split(),
    "a product has a gradient where an element is 0; MXNet's is NaN": [
        f"gradient of nd.{case}"
        for case in ("prod(a-a.detach()[:,1:2],axis=1)", "prod(a*(w>1.3))", "nanprod(a-a.detach()[0,0])")
    ],
    "NumPy's order of axes": ["x[:,[0,2],None]"],
    "an integer power is an integer's: 0 for negative exponents": ["i**-1"],
}
